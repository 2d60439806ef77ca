import { expect } from 'chai';
import { globSync, readFileSync } from 'node:fs';
import { errorRow, isNotForKeeping } from '#http/errors.ts';
import { Rejection } from '#kernel/rejection.ts';

describe('Refusals', () => {
  it('have a status each, wherever they are thrown', () => {
    const withoutStatus: string[] = [];
    for (const file of globSync('{command,projection,dispatcher}-service/**/*.ts')) {
      for (const [, code = ''] of readFileSync(file, 'utf8').matchAll(/new Rejection\(\s*'([^']+)'/g))
        if (!errorRow(code)) withoutStatus.push(`${file}: ${code}`);
    }
    expect(withoutStatus).to.deep.equal([]);
  });

  it('for want of a payment method are not kept under a key: the owner may set one up', () => {
    expect(isNotForKeeping(new Rejection('no-payment-method', 'None.'))).to.be.true;
    expect(isNotForKeeping(new Rejection('basket-not-found', 'None.'))).to.be.false;
  });
});
