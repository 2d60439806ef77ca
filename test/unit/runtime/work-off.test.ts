import { expect } from 'chai';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { inParallel, workOff, workOffDue } from '#runtime/work-off.ts';

const turn = () => new Promise(setImmediate);
const numbers = (length: number): number[] => Array.from({ length }, (_, index) => index + 1);

/** A list from which work is taken, and what was done of it. */
const dueList = (waiting: number[]) => {
  const done: number[] = [];
  return {
    done,
    waiting,
    work: (act: (item: number) => boolean) =>
      workOffDue<number>({
        takeDue: (max) => waiting.splice(0, max),
        putBack: (item) => waiting.push(item),
        atOnce: 2,
        act: async (item) => {
          await turn();
          if (!act(item)) return false;
          done.push(item);
          return true;
        },
        onFailure: () => undefined,
      }),
  };
};

describe('Work on a list', () => {
  it('acts on every item once and in order, on a few at a time', async () => {
    const begun: number[] = [];
    let [underWay, most] = [0, 0];
    await inParallel(numbers(7), 3, async (item) => {
      begun.push(item);
      most = Math.max(most, ++underWay);
      await turn();
      underWay--;
    });
    expect(begun).to.deep.equal(numbers(7));
    expect(most).to.equal(3);
  });

  it('begins nothing after a failure, and ends what is under way before it throws', async () => {
    const ended: number[] = [];
    const failing = inParallel(numbers(6), 2, async (item) => {
      if (item === 1) throw new Error('the first fails');
      await turn();
      ended.push(item);
    });
    const message = await failing.catch((error: unknown) => (error as Error).message);
    expect(message).to.equal('the first fails');
    expect(ended).to.deep.equal([2]);
  });

  it('goes on after a failure where each stands alone, and says which failed', async () => {
    const failed: number[] = [];
    const count = await workOff(numbers(5), {
      atOnce: 2,
      act: async (item) => {
        await turn();
        if (item % 2 === 0) throw new Error('even');
      },
      onFailure: (item) => failed.push(item),
    });
    expect(count).to.equal(2);
    expect(failed).to.deep.equal([2, 4]);
  });

  it('takes due work until none is left, and puts back only afterwards what was not done', async () => {
    const list = dueList(numbers(450));
    const counts = await list.work((item) => {
      if (item === 7) throw new Error('fails once');
      return item !== 300;
    });
    expect(counts).to.deep.equal({ done: 448, kept: 1, failed: 1 });
    expect(list.waiting).to.deep.equal([7, 300]);
    expect(list.done).to.have.lengthOf(448);
  });

  it('tries nothing more once an engine is away: all of it waits for the next run', async () => {
    const list = dueList(numbers(300));
    const tried: number[] = [];
    const counts = await list.work((item) => {
      tried.push(item);
      if (item >= 3) throw new EngineUnavailable('gone');
      return true;
    });
    expect(tried).to.deep.equal([1, 2, 3, 4]);
    expect(counts).to.deep.equal({ done: 2, kept: 0, failed: 198 });
    // 100 were not even taken.
    expect(list.waiting).to.have.lengthOf(298);
    expect(list.waiting.toSorted((one, other) => one - other)[0]).to.equal(3);
  });

  it('rests after each few that it takes together', async () => {
    const done: (number | 'rest')[] = [];
    const waiting = numbers(5);
    await workOffDue<number>({
      ...{ takeDue: (max) => waiting.splice(0, max), putBack: () => undefined, atOnce: 2 },
      act: async (item) => Boolean(done.push(item)),
      onFailure: () => undefined,
      rest: async () => void done.push('rest'),
    });
    expect(done).to.deep.equal([1, 2, 'rest', 3, 4, 'rest', 5, 'rest']);
  });
});
