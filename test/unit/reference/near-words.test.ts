import { expect } from 'chai';
import fc from 'fast-check';
import { mayBeMistyped, placesNear } from '#reference/search/near-words.ts';
import { beginsNear } from '#test/support/typing-errors.ts';

const near = (words: readonly string[], wanted: string): readonly string[] => {
  const sorted = [...new Set(words)].sort();
  return placesNear(sorted, wanted).flatMap(([from, to]) => sorted.slice(from, to));
};

describe('a word with a typing error', () => {
  const words = ['teapot', 'teapots', 'porcelain', 'saucer', 'tea', 'steel'];
  for (const [wanted, found] of [
    ['taepot', ['teapot', 'teapots']],
    ['teapt', ['teapot', 'teapots']],
    ['teappot', ['teapot', 'teapots']],
    ['tezpot', ['teapot', 'teapots']],
    ['eapot', ['teapot', 'teapots']],
    ['porclain', ['porcelain']],
    ['porcl', ['porcelain']],
    ['sauzzer', []],
  ] as const)
    it(`finds ${found.join(' and ') || 'nothing'} for ${wanted}`, () => {
      expect(near(words, wanted)).to.deep.equal(found);
    });

  it('is looked for in words of five letters or more, and not in numbers', () => {
    expect(['mugs', 'plate', '12345', 'mk2000', 'x'.repeat(31)].map(mayBeMistyped)).to.deep.equal([
      false,
      true,
      false,
      false,
      false,
    ]);
  });

  it('finds exactly the words that begin with it but for one error', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é'), minLength: 1, maxLength: 8 });
    const wanted = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é'), minLength: 5, maxLength: 7 });
    fc.assert(
      fc.property(fc.array(word, { maxLength: 60 }), wanted, (all, one) => {
        const expected = [...new Set(all)].sort().filter((each) => beginsNear(each, one));
        expect(near(all, one)).to.deep.equal(expected);
      }),
      { numRuns: 300 },
    );
  });
});
