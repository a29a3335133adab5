/** docs/projections.md: its projection compiles against the service and yields what the page says; its script reads the feed of a running service. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DomainEvent } from '../../src/events/codec.js';
import { openSqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import type { Projection } from '../../src/projections/projection.js';
import type { QueryViews } from '../../src/projections/query-reader.js';
import { runProjector } from '../../src/projector/projector.js';
import { openSqliteReadModels } from '../../src/readmodels/sqlite/read-models.js';
import { someAddress, unique } from '../support/answers.js';
import { exampleEvents, toAppend } from '../support/examples.js';
import { blocks, document, section } from '../support/markdown.js';
import { queryViewsOf } from '../support/query-views.js';
import { startService } from '../support/service.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = document('docs/projections.md');
const textOf = (heading: string, language: string, index = 0): string =>
  blocks(section(page, heading)).filter((block) => block.language === language)[index]?.text ?? '';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'projections-page-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Compiles the text as if it stood in that file of the service; everything that the compiler has against it. */
function compiled(file: string, text: string): { readonly script: string; readonly faults: readonly string[] } {
  const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile) as { config: unknown };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const name = path.join(root, file);
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  host.fileExists = (asked) => asked === name || fileExists(asked);
  host.readFile = (asked) => (asked === name ? text : readFile(asked));
  host.getSourceFile = (asked, languageVersion) => {
    const source = host.readFile(asked);
    return source === undefined ? undefined : ts.createSourceFile(asked, source, languageVersion);
  };
  // What the page has names nothing of Node, whose types take as long as all others.
  const program = ts.createProgram([name], { ...options, types: [], noEmit: false, sourceMap: false }, host);
  const source = program.getSourceFile(name);
  const faults = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
  let script = '';
  program.emit(source, (_, output) => {
    script = output;
  });
  return { script, faults: faults.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' ')) };
}

interface PageModule {
  readonly leavingHours: Projection;
  mostLeft(views: QueryViews, limit: number): Promise<readonly unknown[]>;
}

async function loaded(script: string): Promise<PageModule> {
  const file = path.join(folder, 'leaving-hours.mjs');
  const built = pathToFileURL(path.join(root, 'dist/projections/projection.js')).href;
  writeFileSync(file, script.replaceAll(`'./projection.js'`, `'${built}'`));
  return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as PageModule;
}

test('the projection on the page yields what the page says', async () => {
  const { script, faults } = compiled('src/projections/leaving-hours.ts', textOf('## 2. The file', 'ts'));
  expect(faults).toEqual([]);
  const { leavingHours, mostLeft } = await loaded(script);

  const log = await openSqliteEventStore({ file: path.join(folder, 'events.db'), clock: Date.now });
  const models = openSqliteReadModels({ file: path.join(folder, 'views.db') });
  await log.append('service', [toAppend(exampleEvents.serviceInitialised)], { expectedRevision: 'no_stream' });
  const events = JSON.parse(textOf('## 2. The file', 'json')) as (DomainEvent & { at: string })[];
  for (const { at, ...event } of events) {
    const contact = 'contact_id' in event.data ? event.data.contact_id : '';
    await log.append(`contact-${contact}`, [toAppend(event, { at })], { expectedRevision: 'any' });
  }

  const head = await log.head();
  const done = new AbortController();
  const faultsWhenRun: string[] = [];
  await runProjector({
    reader: log,
    readModels: models,
    projections: [leavingHours],
    signal: done.signal,
    random: () => 0,
    onProgress: ({ position }) => {
      if (position >= head) done.abort();
    },
    onFault: ({ message }) => {
      faultsWhenRun.push(message);
      done.abort();
    },
  });
  expect(faultsWhenRun).toEqual([]);
  expect(await mostLeft(queryViewsOf(models), 2)).toEqual(JSON.parse(textOf('## 2. The file', 'json', 1)));
  await models.close();
  await log.close();
}, 60_000);

test('the script on the page reads the feed', async () => {
  const service = await startService();
  const list = await service.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
  for (const status of ['Subscribed', 'Unsubscribed']) {
    const email = someAddress();
    await service.post(`/v1/contacts/${list}/create`, { email, status });
    await service.post(`/v1/contacts/${list}/updatestatus`, { contact_email: email, status: 'Unsubscribed' });
  }
  const file = path.join(folder, 'feed.mjs');
  writeFileSync(file, textOf('## Outside of the service', 'js'));
  const env = { PATH: process.env['PATH'], AUDIENCE_URL: service.url(), AUDIENCE_KEY: service.key };
  const { stdout } = await promisify(execFile)(process.execPath, [file], { env });
  expect(JSON.parse(stdout)).toEqual({
    cursor: expect.stringMatching(/^\d+\.[0-9a-f-]{36}$/) as unknown,
    left: { [list]: 1 },
  });
  await service.close();
}, 60_000);
