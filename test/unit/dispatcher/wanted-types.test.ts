import { expect } from 'chai';
import { WantedTypes } from '#dispatcher/engine/wanted-types.ts';

describe('The types that a follower asks its feed for', () => {
  const first = { types: ['A', 'B'] };
  let asked: unknown[];
  let wanted: WantedTypes<{ readonly types: readonly string[] }>;
  beforeEach(() => {
    asked = [];
    wanted = new WantedTypes((state) => {
      asked.push(state);
      return new Set(state.types);
    });
    wanted.take(first);
  });

  it('are worked out once for a state, however many batches come', () => {
    for (let batch = 0; batch < 3; batch++) expect(wanted.differIn(first)).to.be.false;
    const same = { types: ['B', 'A'] };
    for (let batch = 0; batch < 3; batch++) expect(wanted.differIn(same)).to.be.false;
    expect(asked).to.deep.equal([first, same]);
  });

  it('differ in a state that asks for more, or for less, until it is taken', () => {
    const more = { types: ['A', 'B', 'C'] };
    expect([wanted.differIn({ types: ['A'] }), wanted.differIn(more)]).to.deep.equal([true, true]);
    expect(wanted.differIn(more)).to.be.true;
    expect([...wanted.take(more)]).to.deep.equal(['A', 'B', 'C']);
    expect(wanted.differIn(more)).to.be.false;
    expect(wanted.differIn(first)).to.be.true;
  });
});
