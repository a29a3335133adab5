/** `audience privacy export`: what is stored about an address, as JSON and as a page. */
import type { Command } from 'commander';
import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { contactStream } from '../../events/streams.js';
import { personExportAsJson, exportPerson, type PersonExport } from '../../privacy/export.js';
import { personExport } from '../../privacy/export-answer.js';
import { exportAsPage } from '../../privacy/export-page.js';
import { withDraft } from '../../export/file.js';
import { CommandFailedError } from '../../failures.js';
import { makeFolder } from '../../flow/durable-file.js';
import { whileOpen } from '../shared/while-open.js';
import { parseAddressArgument, withExamples } from '../shared/options.js';
import type { CommandLine } from '../shared/command-line.js';
import { notRecorded, sayNotRecorded } from '../shared/in-words.js';
import type { ServiceClient } from '../shared/service-client.js';
import { printable } from '../../events/printable.js';

const names = ['export.json', 'export.html'] as const;

const nothingFound = ' Nothing was found about this address; both say what was not searched.';

const optionsSchema = z.object({ out: z.string().min(1) });

export function registerPrivacyExport(privacy: Command, line: CommandLine): void {
  const command = privacy
    .command('export')
    .description('what is stored about an address: export.json, and export.html to be read and printed')
    .argument('<address>', 'the e-mail address')
    .requiredOption('--out <folder>', 'where the two files go; made where it is not there')
    .action((address: string, options: unknown) => exportTo(address, optionsSchema.parse(options), line));
  withExamples(command, ['audience privacy export ada@example.com --out ada']);
}

async function exportTo(address: string, { out }: z.output<typeof optionsSchema>, line: CommandLine): Promise<void> {
  const email = parseAddressArgument(address);
  for (const name of names)
    if (existsSync(path.join(out, name)))
      throw new CommandFailedError(`${path.join(out, name)} is there already: choose another folder`, {
        type: 'exists',
      });
  // For one person's data, and so for nobody else.
  try {
    makeFolder(out);
  } catch (error) {
    throw new CommandFailedError(`--out ${out} cannot be made a folder`, { type: 'exists', cause: error });
  }
  const service = await line.service();
  const known = service === undefined ? await fromLog(email, out, line) : await throughService(email, out, service);
  const recorded = service === undefined ? notRecorded : {};
  const files = names.map((name) => path.join(out, name));
  if (line.json) await line.stdout.write(`${JSON.stringify({ known, files, ...recorded })}\n`);
  else line.stderr.write(`Written to ${files.map(printable).join(' and ')}.${known ? '' : nothingFound}\n`);
  if (service === undefined) sayNotRecorded(line);
}

/** @throws CommandFailedError */
async function throughService(email: string, folder: string, service: ServiceClient): Promise<boolean> {
  const target = `/v1/privacy/export?email=${encodeURIComponent(email)}`;
  const { data, status, message } = await service.ask({ method: 'GET', path: target });
  if (status !== 200) throw new CommandFailedError(message, { type: 'refused' });
  const { history, emails, readings, seal, ...about } = personExport.parse(data);
  return await writeBoth(folder, {
    about,
    history: () => [history],
    emails: () => [emails],
    readings: () => [readings],
    seal: async () => await Promise.resolve(seal),
  });
}

const fromLog = (email: string, folder: string, line: CommandLine): Promise<boolean> =>
  whileOpen(line.openAuditor(), async ({ log, audit }) => {
    const stream = contactStream((await line.place().streamKeys(log)).contactKey(email));
    return await writeBoth(folder, await exportPerson(audit, { email, stream, askedBy: 'cli', signal: line.signal }));
  });

/** Each file is whole or not there. Resolves with whether anything is known of the address. */
async function writeBoth(folder: string, made: PersonExport): Promise<boolean> {
  const files = { 'export.json': personExportAsJson(made), 'export.html': exportAsPage(made) };
  return await withDraft(folder, async (draft) => {
    for (const name of names)
      await writeFile(path.join(draft, name), files[name], { flag: 'wx', mode: 0o600, flush: true });
    for (const name of names) await rename(path.join(draft, name), path.join(folder, name));
    return made.about.known;
  });
}
