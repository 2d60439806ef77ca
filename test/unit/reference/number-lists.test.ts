import { expect } from 'chai';
import fc from 'fast-check';
import { createNumberLists } from '#reference/search/number-lists.ts';

type Change =
  | readonly ['push' | 'remove', number, number]
  | readonly ['replace', number, readonly number[]]
  | readonly ['clear', number];

describe('lists of numbers in one block of memory', () => {
  it('hold what lists of their own would hold', () => {
    const list = fc.integer({ min: 0, max: 12 });
    const value = fc.integer({ min: 0, max: 2 ** 32 - 1 });
    const few = fc.integer({ min: 0, max: 5 });
    const change: fc.Arbitrary<Change> = fc.oneof(
      fc.tuple(fc.constant('push' as const), list, few),
      fc.tuple(fc.constant('remove' as const), list, few),
      fc.tuple(fc.constant('replace' as const), list, fc.array(value, { maxLength: 40 })),
      fc.tuple(fc.constant('clear' as const), list),
    );
    fc.assert(
      fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
        const lists = createNumberLists();
        const plain = new Map<number, number[]>();
        for (const [kind, at, given] of changes) {
          const known = plain.get(at) ?? [];
          if (kind === 'push') {
            lists.push(at, given);
            plain.set(at, [...known, given]);
          } else if (kind === 'remove') {
            lists.remove(at, given);
            const place = known.indexOf(given);
            plain.set(at, known.toSpliced(place, place < 0 ? 0 : 1));
          } else if (kind === 'replace') {
            lists.replace(at, given);
            plain.set(at, [...given]);
          } else {
            lists.clear(at);
            plain.delete(at);
          }
        }
        const sorted = (values: Iterable<number>) => [...values].sort((one, other) => one - other);
        for (let at = 0; at <= 12; at++) {
          const start = lists.startOf(at);
          const held = lists.memory().subarray(start, start + lists.lengthOf(at));
          expect(sorted(held)).to.deep.equal(sorted(plain.get(at) ?? []));
        }
      }),
      { numRuns: 200 },
    );
  });
});
