import { expect } from 'chai';
import { createChance, createLottery, seedFrom, shuffled } from '#command/simulation/pure-random.ts';

const draws = (seed: number, count: number): number[] => {
  const chance = createChance(seed);
  return Array.from({ length: count }, () => chance.next());
};

describe('Chance from a seed', () => {
  it('draws the same for the same seed on every machine', () => {
    expect(draws(1, 3)).to.deep.equal([0.6270739405881613, 0.002735721180215478, 0.5274470399599522]);
    expect(draws(1, 100)).to.deep.equal(draws(1, 100));
    expect(draws(1, 3)).not.to.deep.equal(draws(2, 3));
  });

  it('is spread evenly from 0 to 1', () => {
    const counts = new Array<number>(10).fill(0);
    for (const drawn of draws(42, 10_000))
      counts[Math.floor(drawn * 10)] = (counts[Math.floor(drawn * 10)] ?? 0) + 1;
    for (const count of counts) expect(count).to.be.within(880, 1120);
  });

  it('draws whole numbers with both ends', () => {
    const chance = createChance(3);
    const drawn = new Set(Array.from({ length: 200 }, () => chance.whole(2, 5)));
    expect([...drawn].sort()).to.deep.equal([2, 3, 4, 5]);
  });

  it('draws by weight, and never what has none', () => {
    const draw = createLottery([
      ['often', 3],
      ['never', 0],
      ['seldom', 1],
    ]);
    const chance = createChance(5);
    const drawn = Array.from({ length: 4000 }, () => draw(chance));
    expect(drawn.filter((one) => one === 'often').length).to.be.within(2850, 3150);
    expect(drawn).not.to.include('never');
  });

  it('refuses to draw from nothing', () => {
    expect(() => createLottery([['never', 0]])).to.throw(RangeError);
    expect(() => createChance(1).oneOf([])).to.throw(RangeError);
  });

  it('makes another seed of other parts, and of the same parts joined otherwise', () => {
    expect(seedFrom(1, 'day', 2)).to.equal(seedFrom(1, 'day', 2));
    expect(new Set([seedFrom('a', 'bc'), seedFrom('ab', 'c'), seedFrom('abc')]).size).to.equal(3);
  });

  it('shuffles without losing an element', () => {
    const items = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    const mixed = shuffled(items, createChance(9));
    expect(mixed).not.to.deep.equal(items);
    expect([...mixed].sort()).to.deep.equal(items);
  });
});
