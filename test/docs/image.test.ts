/** The Dockerfile, as far as it can be held against the code without Docker. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/stores/config.js';
import { makeCertificate, type TestCertificate } from '../support/certificates.js';
import { compose, ourServices } from './compose.js';
import { document } from '../support/markdown.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const settings = JSON.parse(document('package.json')) as {
  scripts: Record<string, string>;
};

interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** One list of instructions a stage, each beginning with its FROM. */
function stagesOf(dockerfile: string): readonly (readonly Instruction[])[] {
  const lines = dockerfile.split('\n').filter((line) => !line.startsWith('#'));
  const instructions = lines
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => ({ name: line.split(' ', 1)[0] ?? '', text: line.slice(line.indexOf(' ') + 1).trim() }));
  return instructions.reduce<Instruction[][]>((stages, instruction) => {
    if (instruction.name === 'FROM') return [...stages, [instruction]];
    stages.at(-1)?.push(instruction);
    return stages;
  }, []);
}

const stages = stagesOf(document('Dockerfile'));
const [build = [], runtime = []] = stages;
const valuesOf = (stage: readonly Instruction[], name: string): readonly string[] =>
  stage.filter((instruction) => instruction.name === name).map(({ text }) => text);
const listIn = (text: string): readonly string[] => JSON.parse(text.slice(text.indexOf('['))) as readonly string[];

test('starts as npm start does', () => {
  const [command = ''] = valuesOf(runtime, 'CMD');
  expect(listIn(command).join(' ')).toBe(settings.scripts['start']);
});

test('has an environment that the configuration accepts, open to other machines, with data in the volume', () => {
  const environment = Object.fromEntries(
    valuesOf(runtime, 'ENV').flatMap((text) => text.split(/\s+/).map((pair) => pair.split('=') as [string, string])),
  );
  expect(readConfig(environment)).toMatchObject({ host: '0.0.0.0', port: 3000, dataDir: '/data' });
  expect(valuesOf(runtime, 'EXPOSE')).toEqual([environment['PORT']]);
});

test('gets what it copies, and nothing else, past .dockerignore', () => {
  const [first, ...rest] = document('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const copied = valuesOf(build, 'COPY').flatMap((text) => text.split(' ').slice(0, -1));
  expect(first).toBe('*');
  expect(rest.map((line) => line.replace('!', '')).sort()).toEqual([...copied].sort());
  expect(copied.filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
});

const [ledger] = ourServices;
const checks: readonly (readonly [string, readonly string[], string])[] = [
  ['the image', listIn(valuesOf(runtime, 'HEALTHCHECK')[0] ?? ''), '/health/live'],
  ['docker-compose.yml', compose.services['ledger']?.healthcheck?.test.slice(1) ?? [], '/health/ready'],
];

describe.for(checks)('the health check of %s', ([, command, asked]) => {
  const servers: Server[] = [];
  afterAll(() => servers.map((server) => server.close()));

  /** Answers with that status, and with 404 on any other path. */
  async function serve(status: number, certificate?: TestCertificate): Promise<string> {
    const answer: RequestListener = (request, response) =>
      response.writeHead(request.url === asked ? status : 404).end('{}');
    const server = certificate === undefined ? createServer(answer) : https.createServer(certificate, answer);
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    const address = server.address();
    return String(typeof address === 'object' ? address?.port : '');
  }

  async function check(port: string, more: Readonly<Record<string, string>> = {}): Promise<unknown> {
    const [program, ...parameters] = command;
    expect(program).toBe('node');
    const child = spawn(process.execPath, parameters, { env: { PORT: port, ...more } });
    const [status] = (await once(child, 'exit')) as [number | null];
    return status;
  }

  test('is passed by a service that answers 200', async () => {
    expect(await check(await serve(200))).toBe(0);
  });

  test('is failed by one that answers 503, and by none', async () => {
    expect(await check(await serve(503))).toBe(1);
    const port = await serve(200);
    const server = servers.pop();
    server?.close();
    expect(await check(port)).toBe(1);
  });

  test('is passed over HTTPS where the service has the certificate of TLS_CERT, and failed with another', async () => {
    const certificate = makeCertificate({ name: 'ledger.example.com' });
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'audience-health-')), 'cert.pem');
    onTestFinished(() => rmSync(path.dirname(file), { recursive: true }));
    writeFileSync(file, certificate.cert);
    expect(await check(await serve(200, certificate), { TLS_CERT: file })).toBe(0);
    expect(await check(await serve(200, makeCertificate()), { TLS_CERT: file })).toBe(1);
  });
});

test('all processes of ours are checked in the same way', () => {
  for (const [name, { healthcheck }] of ourServices) expect(healthcheck, name).toEqual(ledger?.[1].healthcheck);
});
