import { expect } from 'chai';
import { VersionedRecord } from '#projection/contexts/reporting/versioned-record.ts';

const textOf = (record: VersionedRecord<number>): string =>
  JSON.stringify(Object.fromEntries(record.entries()));

describe('a record in versions', () => {
  const mugs = VersionedRecord.of([['mug', 1]]);

  it('is not changed by a change', () => {
    const more = mugs.with('mug', 2).with('cup', 3);

    expect(textOf(more)).to.equal('{"mug":2,"cup":3}');
    expect(more.get('cup')).to.equal(3);
    expect(textOf(mugs)).to.equal('{"mug":1}');
    expect(mugs.get('cup')).to.equal(undefined);
  });

  it('knows nothing of the keys that another version of it has got', () => {
    const withCup = mugs.with('cup', 2);
    const withPlate = mugs.with('plate', 3);
    const withBoth = withPlate.with('cup', 4);

    expect(textOf(withCup)).to.equal('{"mug":1,"cup":2}');
    expect(textOf(withPlate)).to.equal('{"mug":1,"plate":3}');
    expect(textOf(withBoth)).to.equal('{"mug":1,"plate":3,"cup":4}');
  });

  it('goes on from an earlier version in the same way twice', () => {
    const [first, second] = [mugs.with('cup', 2), mugs.with('cup', 2).with('plate', 5)];

    expect([textOf(first), textOf(second)]).to.deep.equal([
      '{"mug":1,"cup":2}',
      '{"mug":1,"cup":2,"plate":5}',
    ]);
  });

  it('has what was taken out and put back at the end, as a plain object does', () => {
    const back = mugs.with('cup', 2).without('mug').with('mug', 7);

    expect(textOf(back)).to.equal('{"cup":2,"mug":7}');
    expect(back.size).to.equal(2);
    expect(textOf(back.without('plate'))).to.equal('{"cup":2,"mug":7}');
  });
});
