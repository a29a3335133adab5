// The rooms of src and their floors, checked by `npm run check`. A room imports only from rooms on lower floors.
// docs/architecture.md says what each room holds.
const floors = [
  ['sqlite', 'flow'],
  ['events', 'eventstore', 'readmodels'],
  ['commands', 'projections', 'audit'],
  ['projector', 'mailer', 'bounces'],
  ['stores', 'metrics', 'traces'],
  ['rebuild', 'integrity'],
  ['report', 'recovery'],
  ['export', 'copy', 'privacy'],
  ['doctor'],
  ['api', 'cli'],
  ['app'],
];

const errors = '^src/(errors|failures)\\.ts$';
const room = (name) => `^src/${name}/`;
const node =
  '^node:|^(child_process|crypto|fs|path|os|url|net|http|http2|https|tls|dns|stream|async_hooks|buffer|events|util|timers|worker_threads|perf_hooks|v8|zlib)(/|$)';
const npm = (...names) => `node_modules/(@types/)?(${names.join('|')})(/|$)`;
const crypto = '^(node:)?crypto$';
const eventStorePort = '^src/eventstore/event-store\\.ts$';
const readModelPort = '^src/readmodels/read-models\\.ts$';
/** The leaf of an event, the tree, and how members are found in the text of JSON. */
const leafAndTree = '^src/eventstore/(leaf|tree|json-text|log-id)\\.ts$';
/** What loads and appends. The rest of `commands` decides and knows no store. */
const handling =
  '^src/commands/(handle|command-handler|state-cache|written-streams|reads-together|fold-stream|idempotent-append)\\.ts$';

/** `name` imports itself and what matches one of `allowed`, nothing else. */
const only = (name, ...allowed) => ({
  name: `${name}-imports`,
  severity: 'error',
  from: { path: room(name) },
  to: { pathNot: [room(name), errors, ...allowed] },
});

const noHigherFloor = floors.flatMap((names, floor) =>
  names.map((name) => ({
    name: `${name}-imports-lower-floors`,
    severity: 'error',
    from: { path: room(name) },
    to: {
      path: '^src/',
      pathNot: [room(name), errors, ...floors.slice(0, floor).flat().map(room)],
    },
  })),
);

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
    {
      name: 'every-folder-is-a-room',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: floors.flat().map(room) },
      to: {},
    },
    ...noHigherFloor,
    only('events', crypto, npm('zod', 'tr46')),
    only('sqlite', node),
    only('flow', node),
    only('eventstore', room('sqlite'), room('flow'), node, npm('@eventstore/db-client', '@grpc/grpc-js', 'protobufjs')),
    only('readmodels', room('sqlite'), room('flow'), node, npm('mongodb')),
    {
      name: 'commands-decide-without-a-store',
      severity: 'error',
      from: { path: room('commands'), pathNot: handling },
      to: { pathNot: [room('commands'), room('events'), errors, npm('immutable', 'mustache')] },
    },
    {
      name: 'commands-know-only-the-port',
      severity: 'error',
      from: { path: handling },
      to: { pathNot: [room('commands'), room('events'), room('flow'), errors, eventStorePort] },
    },
    only('projections', room('events'), readModelPort),
    only('audit', room('events'), room('flow'), eventStorePort, leafAndTree, node, npm('leven', 'zod')),
    only(
      'projector',
      room('events'),
      room('flow'),
      room('projections'),
      eventStorePort,
      readModelPort,
      leafAndTree,
      node,
    ),
    only(
      'mailer',
      room('flow'),
      room('events'),
      room('commands'),
      eventStorePort,
      readModelPort,
      node,
      npm('nodemailer', 'html-to-text'),
    ),
    only('metrics', room('projector'), room('flow'), node, npm('@prometheus-io')),
    only('traces', room('flow'), eventStorePort, node, npm('@opentelemetry', 'zod')),
    {
      name: 'traces-are-loaded-where-they-go-somewhere',
      severity: 'error',
      from: { path: '^src/', pathNot: room('traces') },
      to: {
        path: '^src/traces/',
        pathNot: '^src/traces/variables\\.ts$',
        dependencyTypesNot: ['type-only', 'dynamic-import'],
      },
    },
    only('bounces', room('events'), room('commands'), room('flow'), eventStorePort, node, npm('postal-mime')),
    only(
      'report',
      room('events'),
      room('audit'),
      room('integrity'),
      eventStorePort,
      leafAndTree,
      '^src/eventstore/log-source\\.ts$',
      node,
      npm('mustache', 'zod'),
    ),
    {
      name: 'the-http-api-opens-no-store',
      severity: 'error',
      from: { path: room('api') },
      to: { path: '^src/(eventstore|readmodels)/', pathNot: [eventStorePort, readModelPort] },
    },
    {
      name: 'no-cycles-between-folders-of-the-api',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/api(/|$)' },
      to: { circular: true },
    },
    {
      name: 'api-schemas-import-nothing-of-the-api',
      severity: 'error',
      from: { path: room('api/schemas') },
      to: { path: room('api'), pathNot: room('api/schemas') },
    },
    {
      name: 'api-pipeline-knows-no-resource',
      severity: 'error',
      from: { path: room('api/http') },
      to: { path: room('api'), pathNot: room('api/(http|schemas)') },
    },
    {
      name: 'api-keys-know-no-resource',
      severity: 'error',
      from: { path: room('api/keys') },
      to: { path: room('api'), pathNot: room('api/(keys|http)') },
    },
    {
      name: 'api-description-knows-no-resource',
      severity: 'error',
      from: { path: room('api/openapi') },
      to: { path: room('api'), pathNot: room('api/(openapi|http|schemas)') },
    },
    {
      name: 'a-resource-imports-no-other',
      severity: 'error',
      from: { path: '^src/api/resources/([a-z]+)', pathNot: '^src/api/resources/table\\.ts$' },
      to: {
        path: room('api'),
        pathNot: ['^src/api/resources/($1[-.]|parts\\.ts$)', room('api/(http|keys|schemas)')],
      },
    },
    {
      name: 'sqlite-in-one-room',
      severity: 'error',
      from: { path: '^src/', pathNot: room('sqlite') },
      to: { path: '^(node:)?sqlite$' },
    },
    {
      name: 'sqlite-behind-the-ports',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/(eventstore|readmodels)/sqlite/', room('sqlite')] },
      to: { path: room('sqlite') },
    },
    {
      name: 'groups-of-commands-know-only-what-they-share',
      severity: 'error',
      from: { path: '^src/cli/([^/]+)/' },
      to: { path: '^src/cli/', pathNot: ['^src/cli/$1/', '^src/cli/shared/'] },
    },
    {
      name: 'client-imports',
      severity: 'error',
      from: { path: '^client/' },
      to: { pathNot: ['^client/', npm('openapi-fetch')] },
    },
    {
      // A page in a browser: it knows the API by its client, as everybody does.
      name: 'console-imports',
      severity: 'error',
      from: { path: '^console/' },
      to: {
        pathNot: [
          '^console/',
          '^client/',
          '^src/events/printable\\.ts$',
          npm('preact', 'preact-iso', '@preact/signals', 'uplot'),
        ],
      },
    },
    {
      // A browser must be able to load it. A test runs it as a bundle without the globals of Node.
      name: 'the-csv-reader-imports-nothing',
      severity: 'error',
      from: { path: '^src/copy/csv-reader\\.ts$' },
      to: {},
    },
    {
      name: 'nothing-imports-the-demo',
      severity: 'error',
      from: { path: ['^src/', '^client/', '^console/'] },
      to: { path: '^demo/' },
    },
    {
      name: 'nothing-imports-the-client',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: ['^client/', npm('openapi-fetch')] },
    },
    ...[
      ['express', 'api'],
      ['cors', 'api'],
      ['forwarded-parse', 'api'],
      ['proxy-addr', 'stores'],
      ['tr46', 'events'],
      ['mustache', '(commands|report|privacy|api)'],
      ['nodemailer', 'mailer'],
      ['postal-mime', 'bounces'],
      ['@opentelemetry', 'traces'],
      ['@prometheus-io', 'metrics'],
      ['mongodb', 'readmodels/mongodb'],
      ['@eventstore/db-client', 'eventstore/eventstoredb'],
      ['@grpc/grpc-js', 'eventstore/eventstoredb'],
      ['protobufjs', 'eventstore/eventstoredb'],
    ].map(([name, folder]) => ({
      name: `${name.replace(/[^a-z0-9]+/g, '-')}-in-one-folder`,
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/${folder}/` },
      to: { path: npm(name) },
    })),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
};
