import { expect } from 'chai';
import fc from 'fast-check';
import { countOver, noCounts, withCount } from '#projection/contexts/reporting/counts-by-days.ts';

const days = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 4000 }));
const change = fc.oneof(fc.constantFrom(1, -1), fc.integer({ min: -2000, max: 2000 }));
const changes = fc.array(fc.tuple(days, change), { maxLength: 60 });

describe('counts by a number of days', () => {
  it('are what a list of all changes comes to, whatever their order', () => {
    fc.assert(
      fc.property(changes, fc.integer({ min: -10, max: 4100 }), (made, over) => {
        const textOf = (list: typeof made): string =>
          list.reduce((text, [day, count]) => withCount(text, day, count), noCounts);
        const text = textOf(made);
        const listed = made.reduce((sum, [day, count]) => (day > over ? sum + count : sum), 0);
        expect(countOver(text, over)).to.equal(listed);
        expect(textOf(made.toReversed())).to.equal(text);
      }),
    );
  });

  it('leave nothing behind once they are taken back', () => {
    fc.assert(
      fc.property(changes, (made) => {
        const all = [...made, ...made.map(([day, count]) => [day, -count] as const)];
        expect(all.reduce((text, [day, count]) => withCount(text, day, count), noCounts)).to.equal(noCounts);
      }),
    );
  });

  it('are short: two letters of most', () => {
    let text = noCounts;
    for (let day = 1; day <= 700; day++) text = withCount(text, day, 2);
    expect(text).to.have.length(1401);
    expect(withCount(noCounts, 27, 3)).to.equal('aa3');
    expect(withCount(withCount(noCounts, 10, -1), 12, 12)).to.equal('l12b-1');
  });

  it('are of other days', () => {
    expect(() => withCount(noCounts, 0, 1)).to.throw(RangeError);
  });
});
