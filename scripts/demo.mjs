// npm run demo: builds the demo, which is no part of the service, and runs it.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleInto } from './bundle.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const dist = path.join(root, 'dist');

await bundleInto(dist, { root, input: { 'demo/main': path.join(root, 'demo', 'main.ts') }, chunks: 'demo' });
await import(path.join(dist, 'demo', 'main.js'));
