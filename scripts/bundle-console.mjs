// Puts console/ into files that browsers load: a page, scripts and one style sheet, named by their content.
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { rolldown } from 'rolldown';

const require = createRequire(import.meta.url);

/** Writes `dist/console`: index.html, and what it loads in `assets`. */
export async function bundleConsole(root, dist) {
  const source = path.join(root, 'console');
  const assets = path.join(dist, 'console', 'assets');
  mkdirSync(assets, { recursive: true });

  const bundled = await rolldown({
    input: { main: path.join(source, 'main.tsx') },
    platform: 'browser',
    tsconfig: path.join(source, 'tsconfig.json'),
    resolve: { extensionAlias: { '.js': ['.ts', '.tsx', '.js'] } },
    // What is not found would be left for the browser to find.
    onLog(_level, log) {
      throw new Error(log.message);
    },
    transform: { target: 'es2022', define: { 'process.env.NODE_ENV': '"production"' } },
  });
  const { output } = await bundled.write({
    dir: assets,
    format: 'esm',
    minify: true,
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
  });
  await bundled.close();

  const write = (name, extension, content) => {
    const hash = createHash('sha256').update(content).digest('base64url').slice(0, 8);
    const file = `${name}-${hash}.${extension}`;
    writeFileSync(path.join(assets, file), content);
    return file;
  };
  const sheets = [require.resolve('uplot/dist/uPlot.min.css'), ...globSync(path.join(source, 'style/*.css')).sort()];
  const names = {
    script: output.find(({ isEntry }) => isEntry).fileName,
    style: write('style', 'css', sheets.map((file) => readFileSync(file, 'utf8')).join('\n')),
    icon: write('icon', 'svg', readFileSync(path.join(source, 'icon.svg'))),
  };
  const page = readFileSync(path.join(source, 'index.html'), 'utf8');
  // {root} is for the service, which knows how deep the page's address is.
  writeFileSync(
    path.join(dist, 'console', 'index.html'),
    page.replaceAll(/\{(script|style|icon)\}/g, (_, name) => names[name]),
  );
}
