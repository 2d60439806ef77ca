import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { copyTree } from '#test/support/tree-copy.ts';

// Each rule of .dependency-cruiser.cjs is broken once, all of them in one run: docs/architecture.md#who-imports-whom.

interface Rules {
  readonly forbidden: readonly { readonly name: string }[];
}

const rules = (createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as Rules).forbidden.map(
  ({ name }) => name,
);

const planted = 'planted';
const inContext = (role: string): string => `command-service/contexts/basket/${planted}.${role}.ts`;
const inKernel = (folder: string): string => `shared-kernel/${folder}/${planted}.ts`;

/** By rule, a file that breaks it and what it imports. */
const breaches: Readonly<Record<string, readonly [file: string, specifier: string]>> = {
  'no-circular': [`command-service/engine/${planted}-circle.ts`, `./${planted}-circle.ts`],
  'nothing-unresolvable': [`shared-kernel/runtime/${planted}-lost.ts`, '#kernel/nowhere.ts'],
  'kernel-knows-no-service': [`shared-kernel/${planted}.ts`, '#command/engine/hooks.ts'],
  'services-do-not-meet': [`projection-service/engine/${planted}.ts`, '#command/engine/hooks.ts'],
  'nothing-imports-tests': [`shared-kernel/event-flow/${planted}.ts`, '#test/support/api.ts'],
  'sample-agent-shares-no-code': [`test/sample-agent/${planted}.ts`, '#signatures/content-digest.ts'],
  'kernel-import-what-is-below': [inKernel('kernel'), '#values/money.ts'],
  'values-import-what-is-below': [inKernel('values'), '#events/fields.ts'],
  'ports-import-what-is-below': [inKernel('ports'), 'zod'],
  'fields-import-what-is-below': [inKernel('fields'), '#contracts/listing.contract.ts'],
  'charts-import-what-is-below': [inKernel('charts'), '#contracts/listing.contract.ts'],
  'events-import-what-is-below': [inKernel('events'), '#entities/entities.ts'],
  'entities-import-what-is-below': [inKernel('entities'), '#contracts/listing.contract.ts'],
  'topics-import-what-is-below': [inKernel('topics'), '#reference/reference.ts'],
  'mails-import-what-is-below': [inKernel('mails'), '#reference/reference.ts'],
  'reference-import-what-is-below': [inKernel('reference'), '#contracts/listing.contract.ts'],
  'contracts-import-what-is-below': [inKernel('contracts'), '#reference/reference.ts'],
  'agent-orders-import-what-is-below': [inKernel('agent-orders'), '#contracts/listing.contract.ts'],
  'agents-import-what-is-below': [inKernel('agents'), '#contracts/listing.contract.ts'],
  'signatures-import-what-is-below': [inKernel('signatures'), '#contracts/listing.contract.ts'],
  'runtime-import-what-is-below': [inKernel('runtime'), '#http/route.ts'],
  'log-import-what-is-below': [inKernel('log'), '#http/route.ts'],
  'http-import-what-is-below': [inKernel('http'), '#log/codec.ts'],
  'adapters-import-what-is-below': [inKernel('adapters'), '#log/codec.ts'],
  'adapters-know-no-other': [inKernel('adapters/memory'), '#adapters/sqlite/sqlite-bus.ts'],
  'adapters-only-from-main': [
    `command-service/engine/${planted}.ts`,
    '#adapters/memory/memory-event-store.ts',
  ],
  'contexts-show-their-commands': [
    `command-service/contexts/basket/${planted}.ts`,
    '../invoices/invoice.decider.ts',
  ],
  'engines-know-no-context': [
    `command-service/engine/${planted}-basket.ts`,
    '../contexts/basket/basket.commands.ts',
  ],
  'pricing-knows-no-context': [
    `command-service/pricing/${planted}-basket.ts`,
    '../contexts/basket/basket.commands.ts',
  ],
  'modules-know-their-context': [inContext('module'), '../../main.ts'],
  'only-the-list-imports-modules': [
    `command-service/engine/${planted}-list.ts`,
    '../contexts/basket/basket.module.ts',
  ],
  'routes-leave-rules-to-actions': [inContext('routes'), './basket.decider.ts'],
  'routes-read-no-log': [`dispatcher-service/contexts/webhooks/${planted}.routes.ts`, '#log/codec.ts'],
  'actions-know-no-edge': [inContext('actions'), '#http/route.ts'],
  'projections-look-nothing-up': [
    `projection-service/contexts/basket/${planted}.projection.ts`,
    '#reference/location.ts',
  ],
  'pure-stays-pure': [`command-service/pricing/${planted}.ts`, 'node:fs'],
  'pure-sees-no-edge': [inContext('decider'), '#http/route.ts'],
  'drivers-only-in-adapters': [`shared-kernel/log/${planted}-driver.ts`, 'node:sqlite'],
  'event-store-driver-in-its-adapter': [inKernel('adapters/sqlite'), '@eventstore/db-client'],
  'document-driver-in-its-adapter': [inKernel('adapters/kafka'), 'mongodb'],
  'bus-driver-in-its-adapter': [inKernel('adapters/mongodb'), 'kafkajs'],
  'stripe-in-its-adapter': [inKernel('adapters/payment-providers'), 'stripe'],
  'express-only-in-http': [`dispatcher-service/engine/${planted}.ts`, 'express'],
  'schedule-in-one-place': [`shared-kernel/runtime/${planted}-schedule.ts`, 'node-cron'],
  'compiler-in-one-place': [`shared-kernel/runtime/${planted}-compiler.ts`, 'typescript'],
  'requests-are-parsed-at-the-edge': [inContext('response'), 'zod'],
};

/** In a copy of the tree: other tests read the files of this one meanwhile. */
const check = (tree: string): { readonly output: string; readonly status: number | null } => {
  for (const [file, specifier] of Object.values(breaches)) {
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    writeFileSync(join(tree, file), `import '${specifier}';\n`);
  }
  const cruiser = resolve('node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const options = ['--config', resolve('.dependency-cruiser.cjs'), '--output-type', 'err'];
  const files = Object.values(breaches).map(([file]) => file);
  const { stdout, status } = spawnSync(process.execPath, [cruiser, ...options, ...files], {
    cwd: tree,
    encoding: 'utf8',
  });
  return { output: stdout, status };
};

describe('The import rules', () => {
  const tree = copyTree('import-rules');
  let answer: ReturnType<typeof check>;
  before(() => {
    answer = check(tree);
  });
  after(() => rmSync(tree, { recursive: true, force: true }));

  it('are all broken here', () => {
    expect(Object.keys(breaches)).to.have.members(rules);
  });

  it('fail the check when they are broken', () => {
    expect(answer.status).to.be.greaterThan(0);
  });

  for (const [rule, [file]] of Object.entries(breaches)) {
    it(`notice a planted import: ${rule}`, () => {
      const notices = answer.output.split('\n');
      expect(notices.some((line) => line.includes(` ${rule}: `) && line.includes(file))).to.equal(true);
    });
  }
});
