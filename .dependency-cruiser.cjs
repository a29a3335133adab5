// The import table of the design, checked by `npm run check`.
const root = '^src/[^/]+\\.ts$';
const folders = ['events', 'commands', 'eventstore', 'readmodels', 'projections', 'mailer', 'audit', 'api', 'cli'];

/** `folder` may import itself and what matches one of `allowed`, nothing else. */
const only = (folder, ...allowed) => ({
  name: `${folder}-imports`,
  severity: 'error',
  from: { path: `^src/${folder}/` },
  to: { pathNot: [`^src/${folder}/`, ...allowed] },
});

const errors = '^src/errors\\.ts$';
const events = '^src/events/';
/** What loads and appends: the rest of its folder decides. */
const handling = '^src/commands/(handle|command-handler|folded-streams|certain-append)\\.ts$';
const ports = ['^src/eventstore/event-store\\.ts$', '^src/readmodels/read-models\\.ts$'];
/** What a link of the evidence chain is, and how text is taken out of JSON. */
const chain = '^src/eventstore/(chain|json-text)\\.ts$';
const node =
  '^node:|^(crypto|fs|path|os|url|net|http|http2|https|tls|dns|stream|buffer|events|util|timers|worker_threads|perf_hooks)(/|$)';
const npm = (...names) => `node_modules/(@types/)?(${names.join('|')})(/|$)`;
const deterministic = '^(node:)?crypto$';

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'declared',
      severity: 'error',
      from: { path: '^src' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'] },
    },
    only('events', errors, deterministic, npm('zod')),
    {
      name: 'commands-imports',
      severity: 'error',
      from: { path: '^src/commands/', pathNot: handling },
      to: { pathNot: ['^src/commands/', events, errors] },
    },
    {
      name: 'handle-imports',
      severity: 'error',
      from: { path: handling },
      to: { pathNot: ['^src/commands/', events, errors, ports[0]] },
    },
    only('eventstore', errors, node, npm('better-sqlite3', '@eventstore/db-client')),
    only('readmodels', errors, node, npm('better-sqlite3', 'mongodb')),
    only('projections', events, errors, ...ports, chain, node),
    only('mailer', events, '^src/commands/', errors, ...ports, node, npm('nodemailer', 'html-to-text')),
    only('audit', events, errors, ports[0], chain, node),
    only(
      'api',
      '^src/commands/',
      '^src/projections/',
      '^src/audit/',
      errors,
      ...ports,
      node,
      npm('express', 'express-serve-static-core', 'zod', 'helmet'),
    ),
    {
      name: 'cli-imports',
      severity: 'error',
      from: { path: '^src/cli/' },
      to: { path: '^src/api/' },
    },
    {
      name: 'nobody-imports-the-roots',
      comment: 'Composition roots and configuration stand above the folders.',
      severity: 'error',
      from: { path: `^src/(${folders.join('|')})/` },
      to: { path: root, pathNot: errors },
    },
    ...[
      ['express', 'api'],
      ['nodemailer', 'mailer'],
      ['mongodb', 'readmodels'],
      ['@eventstore/db-client', 'eventstore'],
      ['better-sqlite3', '(eventstore|readmodels)'],
    ].map(([name, folder]) => ({
      name: `${name.replace(/[^a-z0-9]+/g, '-')}-in-one-folder`,
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/${folder}/` },
      to: { path: `node_modules/(@types/)?${name}(/|$)` },
    })),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
};
