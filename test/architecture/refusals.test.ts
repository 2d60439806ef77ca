import { expect } from 'chai';
import { globSync, readFileSync } from 'node:fs';
import { errorRow, isNotForKeeping } from '#http/errors.ts';
import { printErrorsPage } from '#http/refusals/print-errors-page.ts';
import { refusalGroups } from '#http/refusals/refusal-table.ts';
import type { Refusal } from '#http/refusals/refusal.ts';
import { Rejection } from '#kernel/rejection.ts';

const sources = globSync([
  '{command,projection,dispatcher}-service/**/*.ts',
  'shared-kernel/**/*.ts',
  '.config/gateway/Caddyfile',
])
  .filter((file) => !file.includes('/http/refusals/'))
  .map((file) => ({ file, text: readFileSync(file, 'utf8') }));

const rows: readonly (readonly [code: string, refusal: Refusal])[] = refusalGroups.flatMap(({ refusals }) =>
  Object.entries<Refusal>(refusals),
);

describe('Refusals', () => {
  it('have a status each, wherever they are thrown', () => {
    const thrown = sources.flatMap(({ file, text }) =>
      [...text.matchAll(/new (?:Http)?Rejection\(\s*'([^']+)'/g)].map(([, code = '']) => ({ file, code })),
    );
    expect(thrown.length).to.be.greaterThan(200);
    expect(thrown.filter(({ code }) => !errorRow(code))).to.deep.equal([]);
  });

  it('are told once each, and only those that there are', () => {
    const codes = rows.map(([code]) => code);
    expect(codes.filter((code, index) => codes.indexOf(code) !== index)).to.deep.equal([]);
    const unused = codes.filter(
      (code) => !sources.some(({ text }) => text.includes(`'${code}'`) || text.includes(`"${code}"`)),
    );
    expect(unused).to.deep.equal([]);
  });

  it('say in whole sentences when they come and what to do', () => {
    const wrong = rows.filter(([, { when, remedy }]) =>
      [when, remedy].some((text) => !/^[A-Z`].*\.$/.test(text) || text.includes('|')),
    );
    expect(wrong).to.deep.equal([]);
  });

  it('are on docs/errors.md as npm run errors-page writes it', () => {
    expect(readFileSync('docs/errors.md', 'utf8') === printErrorsPage(), 'run npm run errors-page').to.equal(
      true,
    );
  });

  it('for want of a payment method are not kept under a key: the owner may set one up', () => {
    expect(isNotForKeeping(new Rejection('no-payment-method', 'None.'))).to.be.true;
    expect(isNotForKeeping(new Rejection('basket-not-found', 'None.'))).to.be.false;
  });
});
