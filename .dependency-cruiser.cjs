// Who may import whom: docs/architecture.md#who-imports-whom. A forbidden import fails `npm run check`; test/architecture
// breaks each rule once to see that it does.
const pure =
  '(\\.(decider|state|process|projection)\\.ts$|^command-service/pricing/|^shared-kernel/(topics|mails)/|/contexts/webhooks/(filter|delivery)\\.ts$)';
const rule = (name, from, to) => ({ name, severity: 'error', from, to });

/**
 * What a folder of the shared kernel may import: folders below it, Node modules and packages. Without `node` and
 * `packages` it may import all of these.
 */
const layer = (folder, folders, { node, packages, except } = {}) =>
  rule(
    `${folder}-import-what-is-below`,
    { path: `^shared-kernel/${folder}/`, ...(except ? { pathNot: except } : {}) },
    {
      ...(node || packages ? {} : { path: '^shared-kernel/' }),
      pathNot: [
        `^shared-kernel/(${[folder, ...folders].join('|')})/`,
        ...(node ?? []).map((name) => `^(node:)?${name}$`),
        ...(packages ?? []).map((name) => `node_modules/(@types/)?${name}/`),
      ],
    },
  );

const eventRegistry = '^shared-kernel/events/registry\\.ts$';

/** From the bottom to the top. */
const layers = [
  layer('kernel', [], { node: ['crypto'] }),
  layer('values', ['kernel'], {
    node: ['url'],
    packages: ['decimal\\.js', 'iso-3166', 'i18n-iso-countries'],
  }),
  layer('ports', ['kernel', 'values'], { packages: [] }),
  layer('fields', ['kernel', 'values'], { packages: ['zod'] }),
  layer('charts', ['kernel', 'values'], { packages: [] }),
  // The registry lists the events of entities, too.
  layer('events', ['kernel', 'values', 'fields'], { packages: ['zod'], except: eventRegistry }),
  layer('entities', ['kernel', 'values', 'fields', 'events'], { packages: ['zod'] }),
  layer('topics', ['kernel', 'values', 'ports', 'events', 'entities'], { packages: ['zod'] }),
  layer('mails', ['kernel', 'values', 'events', 'topics'], { packages: [] }),
  layer('reference', ['kernel', 'values', 'events', 'entities', 'topics', 'mails'], {
    packages: ['lru-cache'],
  }),
  layer('agent-orders', ['kernel', 'values', 'ports', 'events', 'agents', 'reference'], { packages: [] }),
  layer('signatures', ['agents'], {
    node: ['crypto'],
    packages: ['lru-cache', 'structured-headers'],
  }),
  layer('agents', ['kernel', 'values', 'ports'], { packages: [] }),
  layer(
    'contracts',
    ['kernel', 'values', 'ports', 'fields', 'events', 'entities', 'topics', 'mails', 'agents'],
    { packages: ['zod'] },
  ),
  layer('runtime', ['kernel', 'values', 'ports', 'fields', 'topics', 'mails', 'contracts', 'agents']),
  layer('log', ['kernel', 'values', 'ports', 'events', 'reference', 'runtime'], {
    node: ['crypto', 'timers/promises'],
    packages: ['lru-cache', 'pino'],
  }),
  layer('http', ['kernel', 'values', 'ports', 'fields', 'contracts', 'agents', 'signatures', 'runtime']),
  layer('adapters', ['kernel', 'values', 'ports', 'fields', 'runtime']),
];

/** The packages that only one adapter, or one file, may import. */
const only = (name, path, packages) =>
  rule(name, { pathNot: [path, '^test/'] }, { path: `node_modules/(@types/)?(${packages})/` });

module.exports = {
  forbidden: [
    rule('no-circular', {}, { circular: true }),
    rule('nothing-unresolvable', {}, { couldNotResolve: true }),

    // Services
    rule(
      'kernel-knows-no-service',
      { path: '^shared-kernel/' },
      { path: '^(command|projection|dispatcher)-service/' },
    ),
    rule(
      'services-do-not-meet',
      { path: '^(command|projection|dispatcher)-service/' },
      { path: '^(command|projection|dispatcher)-service/', pathNot: '^$1-service/' },
    ),
    // It stands for agents that others write: it knows the shop only by what goes over the wire.
    rule(
      'sample-agent-shares-no-code',
      { path: '^test/sample-agent/' },
      { pathNot: '^test/sample-agent/', dependencyTypesNot: ['core'] },
    ),
    rule('nothing-imports-tests', { pathNot: '^(test|bench)/' }, { path: '^(test|bench)/' }),

    // The shared kernel
    ...layers,
    rule(
      'adapters-know-no-other',
      { path: '^shared-kernel/adapters/([^/]+)/' },
      // Both embedded buses are the same but for where they keep messages.
      { path: '^shared-kernel/adapters/', pathNot: '^shared-kernel/adapters/($1|embedded-bus)/' },
    ),
    rule(
      'adapters-only-from-main',
      {
        pathNot:
          '(^shared-kernel/adapters/|/main\\.ts$|^shared-kernel/open-engines\\.ts$|^tillroll\\.ts$|^(test|bench)/)',
      },
      { path: '^shared-kernel/adapters/' },
    ),

    // Contexts
    rule(
      'contexts-show-their-commands',
      { path: '^([a-z]+-service)/contexts/([^/]+)/' },
      {
        path: '^$1/contexts/',
        // What a context writes down for all to read is its read models.
        pathNot: [
          '^$1/contexts/$2/',
          '\\.(commands|state|stream)\\.ts$',
          '^projection-service/.*\\.projection\\.ts$',
        ],
      },
    ),
    rule('engines-know-no-context', { path: '^[a-z]+-service/engine/' }, { path: '/contexts/' }),
    rule('pricing-knows-no-context', { path: '^command-service/pricing/' }, { path: '/contexts/' }),

    // Roles of files
    rule(
      'modules-know-their-context',
      { path: '^([a-z]+-service)/contexts/[^/]+/[^/]+\\.module\\.ts$' },
      { path: '^$1/(?!contexts/|engine/)' },
    ),
    rule(
      'only-the-list-imports-modules',
      { pathNot: '^[a-z]+-service/modules\\.ts$' },
      { path: '\\.module\\.ts$' },
    ),
    rule(
      'routes-leave-rules-to-actions',
      { path: '\\.routes\\.ts$' },
      { path: '\\.(decider|context|process|job)\\.ts$' },
    ),
    rule(
      'routes-read-no-log',
      // The audit shows the log itself.
      { path: '\\.routes\\.ts$', pathNot: '/contexts/audit/' },
      { path: '^shared-kernel/log/' },
    ),
    rule(
      'actions-know-no-edge',
      { path: '\\.actions\\.ts$' },
      { path: '^shared-kernel/(http|contracts|adapters|log)/|\\.(routes|response)\\.ts$' },
    ),
    rule(
      'projections-look-nothing-up',
      { path: '\\.projection\\.ts$' },
      { path: '^shared-kernel/reference/' },
    ),
    rule(
      'pure-stays-pure',
      // Topics import zod and nothing else, see their layer.
      { path: pure, pathNot: '^shared-kernel/topics/' },
      { dependencyTypes: ['core', 'npm'], pathNot: 'node_modules/decimal\\.js' },
    ),
    rule(
      'pure-sees-no-edge',
      { path: pure },
      { path: '(/adapters/|/contracts/|/http/|/runtime/|/log/|/engine/|\\.(actions|routes)\\.ts$)' },
    ),

    // Packages
    rule(
      'drivers-only-in-adapters',
      { pathNot: '^(shared-kernel/adapters/|test/)' },
      { path: 'node_modules/(@eventstore/db-client|@grpc/grpc-js|mongodb|kafkajs|stripe)/|^(node:)?sqlite$' },
    ),
    only(
      'event-store-driver-in-its-adapter',
      '^shared-kernel/adapters/eventstoredb/',
      '@eventstore/db-client',
    ),
    only('document-driver-in-its-adapter', '^shared-kernel/adapters/mongodb/', 'mongodb'),
    only('bus-driver-in-its-adapter', '^shared-kernel/adapters/kafka/', 'kafkajs'),
    only('stripe-in-its-adapter', '^shared-kernel/adapters/payment-providers/stripe/', 'stripe'),
    rule(
      'express-only-in-http',
      { pathNot: '(^shared-kernel/http/|/main\\.ts$|^tillroll\\.ts$|^(test|bench)/)' },
      { path: 'node_modules/express/' },
    ),
    only('schedule-in-one-place', '^shared-kernel/runtime/timetable\\.ts$', 'node-cron'),
    only('compiler-in-one-place', '^shared-kernel/event-flow/read-file\\.ts$', 'typescript'),
    rule(
      'requests-are-parsed-at-the-edge',
      { path: '\\.(routes|actions|commands|context|response|queries|job)\\.ts$' },
      { path: 'node_modules/zod/', dependencyTypesNot: ['type-only'] },
    ),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
