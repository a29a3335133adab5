// Measures exports and imports: node bench/export.mjs [--events 200000 --only events,contacts --folder FOLDER]. Makes a log of so many events, runs every export of it as a process of its own, imports it back into an empty store, and prints time and the most memory each process had (VmHWM). Exit code 1 when one had 200 MB.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const mostMegabytes = 200;
const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '200000' },
    only: { type: 'string', default: 'events,contacts,lists,growth,import' },
    folder: { type: 'string' },
  },
});
const dist = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'dist');
const folder = values.folder ?? mkdtempSync(path.join(os.tmpdir(), 'audience-bench-export-'));
if (values.folder === undefined) process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const dataDir = path.join(folder, `log-${values.events}`);
const only = values.only.split(',');
/** An import into a folder needs it. */
const secret = 'a secret for a bench, and for nothing else';

if (!existsSync(dataDir)) await makeLog(Number(values.events));
// What a process had at most stands in the files of the system as long as it lives.
const hook = path.join(folder, 'peak.mjs');
writeFileSync(
  hook,
  `import { readFileSync, writeFileSync } from 'node:fs';
process.on('exit', () => writeFileSync(process.env.PEAK_FILE, /VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]));
`,
);
let isFine = true;
for (const what of ['events', 'contacts', 'lists', 'growth'])
  for (const format of ['ndjson', 'csv', 'parquet'])
    if (only.includes(what)) {
      const file = path.join(folder, `${what}.${format}`);
      await measured(`export ${what} ${format}`, ['--data-dir', dataDir, 'export', what, '--force', '--out', file]);
    }
if (only.includes('import')) {
  const file = path.join(folder, 'events.ndjson');
  const copy = path.join(folder, 'copy');
  rmSync(copy, { recursive: true, force: true });
  await measured('import events', ['--data-dir', copy, 'import', 'events', file]);
  const again = path.join(folder, 'again.ndjson');
  await measured('export events again', ['--data-dir', copy, 'export', 'events', '--force', '--out', again]);
  const isSame = digest(file) === digest(again);
  process.stdout.write(`second export ${isSame ? 'is the first one' : 'DIFFERS from the first one'}\n`);
  isFine &&= isSame;
}
process.exit(isFine ? 0 : 1);

function digest(file) {
  return readFileSync(`${file}.sha256`, 'utf8').slice(0, 64);
}

async function measured(name, words) {
  const peak = path.join(folder, 'peak');
  const begun = performance.now();
  const child = spawn(process.execPath, ['--import', hook, path.join(dist, 'audience.js'), '--json', ...words], {
    env: { PATH: process.env.PATH, PEAK_FILE: peak, SECRET: secret },
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (chunk) => (out += chunk));
  const code = await new Promise((resolve) => child.on('close', resolve));
  const seconds = (performance.now() - begun) / 1000;
  const megabytes = Math.round(Number(readFileSync(peak, 'utf8')) / 1024);
  const { events = 0, bytes = 0 } = JSON.parse(out || '{}');
  const speed = Math.round(events / seconds);
  isFine &&= code === 0 && megabytes < mostMegabytes;
  process.stdout.write(
    `${name.padEnd(24)} exit ${code}  ${seconds.toFixed(1).padStart(6)} s  ${String(speed).padStart(7)} events/s  ${(bytes / 2 ** 20).toFixed(1).padStart(7)} MiB  ${megabytes} MB at most\n`,
  );
  if (code !== 0) process.stdout.write(out);
}

/** 40 % of the contacts' events create, the rest change something of somebody at random. */
async function makeLog(wanted) {
  const { openSqliteEventStore } = await import(path.join(dist, 'eventstore', 'sqlite', 'event-store.js'));
  const { deriveStreamKeys } = await import(path.join(dist, 'events', 'streams.js'));
  mkdirSync(dataDir, { recursive: true });
  const store = await openSqliteEventStore({ file: path.join(dataDir, 'events.db'), clock: Date.now });
  const start = Date.UTC(2024, 0, 1);
  const stepMs = (730 * 86_400_000) / wanted;
  let seed = 1;
  const random = (below) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  let made = 0;
  const event = (type, data) => {
    made += 1;
    const id = `00000000-0000-4000-8000-${String(made).padStart(12, '0')}`;
    const at = new Date(Math.floor(start + made * stepMs)).toISOString();
    const request = createHash('md5').update(id).digest('hex');
    const metadata = {
      at,
      $correlationId: request,
      $causationId: request,
      request_id: request,
      actor: 'bench',
      schema: 1,
    };
    return { id, type, data: JSON.stringify(data), metadata: JSON.stringify(metadata) };
  };
  const salt = '0123456789abcdef'.repeat(2);
  const pending = [];
  const append = async (stream, revision, ...events) => {
    pending.push(store.append(stream, events, { expectedRevision: revision < 0 ? 'no_stream' : BigInt(revision) }));
    if (pending.length >= 1_000) await Promise.all(pending.splice(0));
  };
  await append(
    'service',
    -1,
    event('ServiceInitialised', { log_id: 'bench', secret_fingerprint: deriveStreamKeys(secret).fingerprint('bench') }),
  );
  const lists = Array.from({ length: 20 }, (_, n) => ({ list_id: `lst_${n}`, list_name: `List ${n}` }));
  const tags = Array.from({ length: 50 }, (_, n) => ({ tag_id: `tag_${n}`, tag_name: `Tag ${n}` }));
  for (const [n, list] of lists.entries()) await append('lists', n - 1, event('ListCreated', list));
  for (const [n, tag] of tags.entries()) await append('tags', n - 1, event('TagCreated', tag));
  const contacts = [];
  while (made < wanted) {
    if (contacts.length === 0 || random(10) < 4) {
      const n = contacts.length;
      const contact_id = `con_${String(n).padStart(26, '0')}`;
      const stream = `contact-${createHash('md5').update(contact_id).digest('hex')}`;
      const list = random(lists.length);
      const person = { salt, email: `person.${n}@example.com`, firstName: `Name ${n}`, city: 'London' };
      const status = random(10) === 0 ? 'Unsubscribed' : 'Subscribed';
      contacts.push({ contact_id, stream, revision: 2, list, status });
      const about = { contact_id, ...lists[list] };
      await append(
        stream,
        -1,
        event('ContactCreated', { contact_id, person }),
        event(`Contact${status}`, { ...about, previous_status: null }),
        event('TagsAttached', { contact_id, list_id: about.list_id, tags: [tags[random(tags.length)]] }),
      );
    } else {
      const contact = contacts[random(contacts.length)];
      const { contact_id, stream, list, status } = contact;
      const next = status === 'Subscribed' ? 'Unsubscribed' : 'Subscribed';
      await append(
        stream,
        contact.revision,
        event(`Contact${next}`, { contact_id, ...lists[list], previous_status: status }),
      );
      contact.status = next;
      contact.revision += 1;
    }
  }
  await Promise.all(pending);
  await store.close();
}
