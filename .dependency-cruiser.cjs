// Who may import whom. A forbidden import fails `npm run check`; test/architecture plants one to see that it does.
const pure =
  '(\\.(decider|state|process|projection)\\.ts$|^command-service/pricing/|^shared-kernel/topics/|/contexts/webhooks/(filter|delivery)\\.ts$)';
const rule = (name, from, to) => ({ name, severity: 'error', from, to });

module.exports = {
  forbidden: [
    rule('no-circular', {}, { circular: true }),
    rule('nothing-unresolvable', {}, { couldNotResolve: true }),
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
      'kernel-stands-alone',
      { path: '^shared-kernel/kernel/' },
      { pathNot: ['^shared-kernel/kernel/', '^(node:)?crypto$'] },
    ),
    rule(
      'values-know-no-edge',
      { path: '^shared-kernel/values/' },
      { path: '^shared-kernel/(?!kernel|values)' },
    ),
    rule(
      'ports-know-no-adapter',
      { path: '^shared-kernel/ports/' },
      { path: '^shared-kernel/(?!kernel|values|events|ports)' },
    ),
    rule(
      'projections-look-nothing-up',
      { path: '\\.projection\\.ts$' },
      { path: '^shared-kernel/reference/' },
    ),
    rule(
      'pure-stays-pure',
      { path: pure },
      { dependencyTypes: ['core', 'npm'], pathNot: 'node_modules/decimal\\.js' },
    ),
    rule(
      'pure-sees-no-edge',
      { path: pure },
      { path: '(/adapters/|/http/|/runtime/|/log/|/engine/|\\.routes\\.ts$)' },
    ),
    rule(
      'actions-know-no-edge',
      { path: '\\.actions\\.ts$' },
      { path: '^shared-kernel/(http|contracts|adapters)/|\\.(routes|response)\\.ts$' },
    ),
    rule('pricing-knows-no-context', { path: '^command-service/pricing/' }, { path: '/contexts/' }),
    rule(
      'drivers-only-in-adapters',
      { pathNot: '^(shared-kernel/adapters/|test/)' },
      { path: 'node_modules/(@eventstore/db-client|@grpc/grpc-js|mongodb|kafkajs)/|^(node:)?sqlite$' },
    ),
    rule(
      'adapters-only-from-main',
      {
        pathNot:
          '(^shared-kernel/adapters/|/main\\.ts$|^shared-kernel/open-engines\\.ts$|^tillroll\\.ts$|^(test|bench)/)',
      },
      { path: '^shared-kernel/adapters/' },
    ),
    rule(
      'express-only-in-http',
      { pathNot: '(^shared-kernel/http/|/main\\.ts$|^tillroll\\.ts$|^(test|bench)/)' },
      { path: 'node_modules/express/' },
    ),
    rule(
      'schedule-in-one-place',
      { pathNot: '^shared-kernel/runtime/timetable\\.ts$' },
      { path: 'node_modules/node-cron/' },
    ),
    rule('nothing-imports-tests', { pathNot: '^(test|bench)/' }, { path: '^(test|bench)/' }),
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
