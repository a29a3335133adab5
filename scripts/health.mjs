// Ends with 0 when the service on this machine answers a path with 200, else with 1: node scripts/health.mjs /health/live
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';

const { PORT, TLS_CERT } = process.env;
// The certificate is for the service's public name, not for this address.
const trust = (ca) => ({ ca, allowPartialTrustChain: true, checkServerIdentity: () => undefined });
const options = { host: '127.0.0.1', port: PORT, path: process.argv[2], timeout: 4_000 };
const request = TLS_CERT ? https.get({ ...options, ...trust(readFileSync(TLS_CERT)) }) : http.get(options);
request.on('response', ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1));
request.on('error', () => process.exit(1)).on('timeout', () => process.exit(1));
