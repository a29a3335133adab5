/** docs/refusal.md, block by block, against a service that writes its e-mails into the outbox. */
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blocks, document } from '../support/markdown.js';
import { freshFolder, startService, type Service } from '../support/service.js';
import { loosely, missingTools, openShell, type Shell } from './tour.js';

const all = blocks(document('docs/refusal.md'));
const [start, ...steps] = all.flatMap(({ language, text }, index) => {
  const next = all[index + 1];
  const answer = next?.language === 'json' || next?.language === 'text' ? next : undefined;
  return language === 'sh' ? [{ text, answer }] : [];
});

/** The links lead there, so it has to be known before the start. */
async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const missing = missingTools('curl');
describe.skipIf(missing.length > 0)('docs/refusal.md (skipped where curl is not installed)', () => {
  const folder = freshFolder();
  let service: Service;
  let shell: Shell;
  let here = '';
  const local = (text: string): string => text.replaceAll('http://127.0.0.1:3000', here);

  beforeAll(async () => {
    const dataDir = path.join(folder, 'data');
    mkdirSync(dataDir);
    const port = await freePort();
    here = `http://127.0.0.1:${port}`;
    const settings = /^PUBLIC_URL=(\S+) MAIL_FROM='([^']+)' npm start$/.exec(start?.text.trim() ?? '');
    const [, url = '', from] = settings ?? [];
    expect(from).toBe('News <news@example.com>');
    const env = { API_KEYS: undefined, PORT: String(port), PUBLIC_URL: local(url), MAIL_FROM: from };
    service = await startService({ dataDir, env });
    shell = openShell(folder);
  });
  afterAll(async () => {
    shell.close();
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.for(steps.map((step, index) => [`${index + 1} ${step.text.slice(0, 60)}`, step] as const))(
    '%s',
    async ([, { text, answer }]) => {
      const output = await shell.run(local(text));
      if (answer?.language === 'json') expect(JSON.parse(output)).toEqual(loosely(JSON.parse(answer.text)));
      else if (answer !== undefined)
        expect(output.replaceAll('\r', '').trimEnd().split('\n')).toEqual(
          loosely(local(answer.text).trimEnd().split('\n')),
        );
    },
  );
});
