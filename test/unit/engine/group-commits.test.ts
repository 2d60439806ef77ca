import { expect } from 'chai';
import { createGroupCommits } from '#adapters/sqlite/group-commit.ts';

const SIZE = 100 * 1024;

/** Commits requests of one size each, and tells in which order it commits, answers and folds. */
const observed = ({ size = SIZE, fold = (): void => undefined } = {}) => {
  const seen: string[] = [];
  const commitNext = createGroupCommits<string, string>(
    {
      commit: (requests) => {
        seen.push('commit');
        return requests;
      },
      sizeOf: () => size,
      fold: () => {
        seen.push('fold');
        fold();
      },
      close: () => undefined,
    },
    (response) => seen.push('outcomes' in response ? 'answer' : 'failure'),
  );
  return { seen, commit: (times: number) => Array.from({ length: times }, () => commitNext(['one'])) };
};

const folds = (seen: readonly string[]): number => seen.filter((step) => step === 'fold').length;

describe('group commit: the log beside a file', () => {
  it('is folded into the file behind the answer, once half a megabyte has gathered', () => {
    const { seen, commit } = observed();
    commit(7);
    expect(folds(seen)).to.equal(0);
    commit(1);
    expect(seen.slice(-3)).to.deep.equal(['commit', 'answer', 'fold']);
    commit(16);
    expect(folds(seen)).to.equal(3);
  });

  it('is left while there is little in it', () => {
    const { seen, commit } = observed({ size: 1024 });
    commit(511);
    expect(folds(seen)).to.equal(0);
    commit(1);
    expect(folds(seen)).to.equal(1);
  });

  it('is folded after several large commits, not after each', () => {
    const { seen, commit } = observed({ size: 4 * 1024 * 1024 });
    commit(16);
    expect(folds(seen)).to.equal(2);
  });

  it('takes more commits where it cannot be folded, and is folded later', () => {
    const { seen, commit } = observed({
      fold: () => {
        throw new Error('disk full');
      },
    });
    commit(16);
    expect(seen).to.not.include('failure');
    expect(folds(seen)).to.equal(2);
  });
});
