import { expect } from 'chai';
import type { Recorded } from '#kernel/event.ts';
import { ContributionFold } from '#projection/engine/why/contribution-fold.ts';
import { dropped, jars, smashed } from '#test/support/builders/jars.ts';
import { recordedEvents } from '#test/support/given.ts';

const folded = (events: readonly Recorded[], limits: Readonly<Record<string, number>>) => {
  const fold = new ContributionFold(jars, new Map(Object.entries(limits)), ['coins']);
  const contributions = events.map((event) => fold.take(event)?.contribution ?? null);
  return { contributions, sum: fold.sum, fold };
};

describe('What events contribute to a figure', () => {
  it('is what it was after each, less what it was before, and adds up to it', () => {
    const events = recordedEvents([dropped('a', 3), dropped('a', -1), dropped('a', 5)]);
    const { contributions, sum, fold } = folded(events, { a: Infinity });
    expect(contributions).to.deep.equal([3, -1, 5]);
    expect(sum).to.equal(7);
    expect(fold.documents).to.deep.equal([{ _id: 'a', coins: 7 }]);
  });

  it('is taken back by what removes the document', () => {
    const events = recordedEvents([dropped('a', 3), smashed('a'), dropped('a', 5)]);
    expect(folded(events, { a: Infinity }).contributions).to.deep.equal([3, -3, 5]);
  });

  it('counts for the documents asked about, each up to the position that it reflects', () => {
    const events = recordedEvents([dropped('a', 1), dropped('b', 10), dropped('c', 100), dropped('a', 1000)]);
    const third = events[2]?.position ?? 0;
    expect(folded(events, { a: third, b: third })).to.deep.include({
      contributions: [1, 10, null, null],
      sum: 11,
    });
  });

  it('ends at an event that the projection cannot take', () => {
    const events = recordedEvents([dropped('a', 1), dropped('a', 1001), dropped('a', 2)]);
    const { contributions, fold } = folded(events, { a: Infinity });
    expect(contributions).to.deep.equal([1, null, null]);
    expect(fold.isStuck).to.equal(true);
  });
});
