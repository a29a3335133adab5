/** Runs what documents show: commands in a shell, TypeScript with the client of this checkout, and answers in which `…` stands for anything. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect } from 'vitest';
import type { Overrides } from '../support/stores.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What a document needs and this machine lacks. */
export const missingTools = (...tools: readonly string[]): readonly string[] =>
  tools.filter((tool) => spawnSync(tool, ['--version']).error !== undefined);

/** `…` stands for whatever is there. */
export function loosely(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('…') ? expect.stringMatching(patternOf(value)) : value;
  if (Array.isArray(value)) return value.map(loosely);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, loosely(inner)]));
}

const patternOf = (text: string): RegExp =>
  new RegExp(
    `^${text
      .split('…')
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.+')}$`,
  );

/** Runs TypeScript in a folder as its reader would, whose `node_modules` has this package. Gives its lines of output. */
export function runTypeScript(folder: string, code: string, env: Overrides): readonly string[] {
  mkdirSync(path.join(folder, 'node_modules'), { recursive: true });
  symlinkSync(root, path.join(folder, 'node_modules', 'audience-ledger'), 'dir');
  const file = path.join(folder, 'example.mjs');
  const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  writeFileSync(file, ts.transpileModule(code, { compilerOptions: options }).outputText);
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], { env: { ...env }, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the example ended with ${String(status)}: ${stdout}${stderr}`);
  return stdout.trimEnd().split('\n');
}

export interface Shell {
  /** Runs commands in the shell of the commands before; fails when the last of them does. */
  run(commands: string): Promise<string>;
  close(): void;
}

/** The plain shell in which a reader types one block after the other. */
export function openShell(cwd: string, env: Readonly<Record<string, string>> = {}): Shell {
  const child = spawn('sh', [], { cwd, env: { PATH: process.env['PATH'], ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  let complaints = '';
  let heard = (): void => undefined;
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
    heard();
  });
  child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString('utf8')));
  child.on('exit', () => heard());
  return {
    async run(commands) {
      output = '';
      complaints = '';
      child.stdin.write(`{\n${commands}\n} </dev/null\nprintf '\\036%s\\n' "$?"\n`);
      for (;;) {
        const [, printed = '', status] = /^(.*)\u001e(\d+)\n$/s.exec(output) ?? [];
        if (status === '0') return printed;
        if (status !== undefined || child.exitCode !== null)
          throw new Error(`"${commands}" ended with ${status ?? 'the shell'}: ${printed}${complaints}`);
        await new Promise<void>((resolve) => (heard = resolve));
      }
    },
    close: () => child.kill('SIGKILL'),
  };
}
