import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const planted = `planted-${process.pid}`;

/** A file with an import that it must not have, and the rule that has to notice. */
const forbidden: readonly (readonly [rule: string, file: string, text: string])[] = [
  ['pure-stays-pure', `command-service/pricing/${planted}.ts`, `import 'node:fs';`],
  ['pure-sees-no-edge', `command-service/contexts/basket/${planted}.decider.ts`, `import '#http/route.ts';`],
  [
    'actions-know-no-edge',
    `command-service/contexts/basket/${planted}.actions.ts`,
    `import '#http/route.ts';`,
  ],
  ['services-do-not-meet', `projection-service/engine/${planted}.ts`, `import '#command/engine/hooks.ts';`],
  ['kernel-stands-alone', `shared-kernel/kernel/${planted}.ts`, `import '#values/money.ts';`],
  [
    'projections-look-nothing-up',
    `projection-service/contexts/basket/${planted}.projection.ts`,
    `import '#reference/location.ts';`,
  ],
  [
    'contexts-show-their-commands',
    `command-service/contexts/basket/${planted}.ts`,
    `import '../invoices/invoice.decider.ts';`,
  ],
  [
    'modules-know-their-context',
    `command-service/contexts/basket/${planted}.module.ts`,
    `import '../../main.ts';`,
  ],
  [
    'only-the-list-imports-modules',
    `command-service/engine/${planted}-list.ts`,
    `import '../contexts/basket/basket.module.ts';`,
  ],
  [
    'adapters-only-from-main',
    `command-service/engine/${planted}.ts`,
    `import '#adapters/memory/memory-event-store.ts';`,
  ],
  ['express-only-in-http', `dispatcher-service/engine/${planted}.ts`, `import 'express';`],
  ['nothing-imports-tests', `shared-kernel/engine/${planted}.ts`, `import '#test/support/api.ts';`],
  ['nothing-unresolvable', `shared-kernel/runtime/${planted}.ts`, `import '#kernel/nowhere.ts';`],
];

const check = (files: readonly string[]): { readonly output: string; readonly status: number | null } => {
  const cruiser = 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs';
  const options = ['--config', '.dependency-cruiser.cjs', '--output-type', 'err'];
  const { stdout, status } = spawnSync(process.execPath, [cruiser, ...options, ...files], {
    encoding: 'utf8',
  });
  return { output: stdout, status };
};

describe('The import rules', () => {
  let answer: ReturnType<typeof check>;
  before(() => {
    try {
      for (const [, file, text] of forbidden) {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, `${text}\n`);
      }
      answer = check(forbidden.map(([, file]) => file));
    } finally {
      for (const [, file] of forbidden) rmSync(file, { force: true });
    }
  });

  it('fail the check when they are broken', () => {
    expect(answer.status).to.be.greaterThan(0);
  });

  for (const [rule, file] of forbidden) {
    it(`notice a planted import: ${rule}`, () => {
      expect(answer.output.split('\n').some((line) => line.includes(rule) && line.includes(file))).to.equal(
        true,
      );
    });
  }
});
