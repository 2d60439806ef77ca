import { expect } from 'chai';
import { globSync, readFileSync } from 'node:fs';
import { errorRow } from '#http/errors.ts';

describe('Refusals', () => {
  it('have a status each, wherever they are thrown', () => {
    const withoutStatus: string[] = [];
    for (const file of globSync('{command,projection,dispatcher}-service/**/*.ts')) {
      for (const [, code = ''] of readFileSync(file, 'utf8').matchAll(/new Rejection\(\s*'([^']+)'/g))
        if (!errorRow(code)) withoutStatus.push(`${file}: ${code}`);
    }
    expect(withoutStatus).to.deep.equal([]);
  });
});
