// Starts EventStoreDB (or the image in EVENTSTORE_IMAGE) and MongoDB in containers, runs the tests against them, and stops them: npm run test:containers [-- <arguments of vitest>]
// A server that TEST_EVENTSTORE_URL or TEST_MONGODB_URL names already is used as it is. Without a Docker engine the tests
// are reported as skipped, with the reason; with CONTAINERS=required that is an error.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { GenericContainer, getContainerRuntimeClient, Wait } from 'testcontainers';
import { parse } from 'yaml';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
/** Returns a text of docker-compose.yml with `${NAME:-default}` replaced, as Compose does it. */
const interpolated = (text) => text.replaceAll(/\$\{(\w+):-([^}]*)\}/g, (_, name, value) => process.env[name] || value);

/**
 * The same images and settings as in docker-compose.yml, so that there is one place to raise a version. `EVENTSTORE_IMAGE`
 * names another event store there and here.
 */
const { eventstore, mongo } = parse(interpolated(readFileSync(path.join(root, 'docker-compose.yml'), 'utf8')), {
  merge: true,
}).services;

const startUpMs = 180_000;

const servers = [
  {
    name: 'the event store',
    variable: 'TEST_EVENTSTORE_URL',
    port: 2113,
    image: eventstore.image,
    container: () =>
      new GenericContainer(eventstore.image)
        .withPlatform(eventstore.platform)
        .withEnvironment(eventstore.environment)
        .withWaitStrategy(Wait.forHttp('/health/live', 2113).forStatusCode(204)),
    url: (address) => `esdb://${address}?tls=false`,
  },
  {
    name: 'MongoDB',
    variable: 'TEST_MONGODB_URL',
    port: 27_017,
    image: mongo.image,
    container: () =>
      new GenericContainer(mongo.image)
        .withCommand(mongo.command)
        .withWaitStrategy(Wait.forLogMessage(/waiting for connections/i)),
    url: (address) => `mongodb://${address}`,
  },
];

/** Why there is no engine, in words; undefined: there is one. */
async function whyNoEngine() {
  try {
    await getContainerRuntimeClient();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function start({ name, image, container, port, url }) {
  console.log(`starting ${name} (${image})`);
  const started = await container().withExposedPorts(port).withStartupTimeout(startUpMs).start();
  return { started, url: url(`${started.getHost()}:${started.getMappedPort(port)}`) };
}

/** The test files that ask for the variable, themselves or through a helper that they import. */
function testsThatAskFor(variable) {
  const files = readdirSync(path.join(root, 'test'), { recursive: true })
    .map((name) => path.join('test', String(name)))
    .filter((name) => /\.(ts|mjs)$/.test(name))
    .map((name) => ({ name, text: readFileSync(path.join(root, name), 'utf8') }));
  const asking = new Set(files.filter(({ text }) => text.includes(variable)).map(({ name }) => name));
  const imports = ({ name, text }) =>
    [...text.matchAll(/from '(\.[^']+)'/g)].map(([, target]) =>
      path.join(path.dirname(name), target.replace(/\.js$/, '.ts')),
    );
  for (let before = -1; before !== asking.size;) {
    before = asking.size;
    for (const file of files) if (imports(file).some((target) => asking.has(target))) asking.add(file.name);
  }
  return [...asking].filter((name) => name.endsWith('.test.ts')).sort();
}

function reportSkipped(missing, reason) {
  console.log(`skipped: no Docker engine: ${reason}`);
  for (const { name, variable } of missing) {
    console.log(`not run against ${name} (set ${variable} to use a server that runs already):`);
    for (const file of testsThatAskFor(variable)) console.log(`  ${file}`);
  }
}

/** @returns vitest's exit status */
async function runTests(environment) {
  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const child = spawn(process.execPath, [vitest, 'run', ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  // The tests end first, then the containers.
  const pass = (signal) => child.kill(signal);
  process.on('SIGINT', pass).on('SIGTERM', pass);
  const [status] = await once(child, 'exit');
  process.off('SIGINT', pass).off('SIGTERM', pass);
  return status ?? 1;
}

async function main() {
  const missing = servers.filter(({ variable }) => (process.env[variable] ?? '') === '');
  const reason = missing.length > 0 ? await whyNoEngine() : undefined;
  if (reason !== undefined) {
    reportSkipped(missing, reason);
    if (process.env.CONTAINERS === 'required') return 1;
    if (missing.length === servers.length) return 0;
    return await runTests({});
  }
  const running = [];
  try {
    const environment = {};
    for (const server of missing) {
      const { started, url } = await start(server);
      running.push(started);
      environment[server.variable] = url;
    }
    return await runTests(environment);
  } finally {
    await Promise.all(running.map((container) => container.stop()));
  }
}

process.exit(await main());
