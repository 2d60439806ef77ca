import { expect } from 'chai';
import { derivedId, isGuid, newId, pairedId } from '#kernel/ids.ts';

describe('the id of a pair', () => {
  it('is the same for the same two, another for any others, and a GUID like any other', () => {
    const rules = ['spring', 'summer'].map((name) => derivedId('rule', name));
    const lines = [newId(), newId(), newId()];
    const pairs = rules.flatMap((rule) => lines.map((line) => [rule, line] as const));
    const ids = pairs.map(([rule, line]) => pairedId(rule, line));
    expect(new Set([...ids, ...rules, ...lines]).size).to.equal(11);
    expect(pairs.map(([rule, line]) => pairedId(rule, line))).to.deep.equal(ids);
    for (const id of ids) expect(isGuid(id) && id.charAt(14) === '8', id).to.equal(true);
  });
});
