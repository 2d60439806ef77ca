import { expect } from 'chai';
import { tables } from './tables.ts';

describe('the worked cases that `npm run vectors` prints', () => {
  for (const { title, vectors } of tables) {
    it(`are computed as expected: ${title}`, () => {
      for (const { given, expected, compute } of vectors) expect(compute(), given).to.equal(expected);
    });
  }
});
