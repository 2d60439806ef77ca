import { expect } from 'chai';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { Pace } from '#runtime/pace.ts';
import { inParallel, workOff, workOffDue } from '#runtime/work-off.ts';

const turn = () => new Promise(setImmediate);
const unhurried: Pace = { next: () => Promise.resolve(200) };
const numbers = (length: number): number[] => Array.from({ length }, (_, index) => index + 1);

/** A list from which work is taken, and what was done of it. */
const dueList = (waiting: number[]) => {
  const done: number[] = [];
  return {
    done,
    waiting,
    work: (act: (item: number) => boolean, signal?: AbortSignal) =>
      workOffDue<number>({
        takeDue: (max) => waiting.splice(0, max),
        putBack: (item) => waiting.push(item),
        ...{ atOnce: 2, pace: unhurried, signal },
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

  it('leaves the rest to the next run once the process stops', async () => {
    const list = dueList(numbers(300));
    const stopping = new AbortController();
    const counts = await list.work((item) => {
      if (item === 3) stopping.abort();
      return true;
    }, stopping.signal);
    expect(counts).to.include({ kept: 0, failed: 0 });
    expect(counts.done).to.be.within(3, 4);
    expect([...list.done, ...list.waiting].toSorted((one, other) => one - other)).to.deep.equal(numbers(300));
  });

  it('begins no more at a time than its pace allows, nor than may be under way', async () => {
    const waiting = numbers(12);
    const begun: number[] = [];
    const begunAtTurns: number[] = [];
    const ending = Promise.withResolvers<void>();
    const working = workOffDue<number>({
      ...{ takeDue: (max) => waiting.splice(0, max), putBack: () => undefined, atOnce: 5 },
      act: async (item) => {
        begun.push(item);
        await ending.promise;
        return true;
      },
      onFailure: () => undefined,
      pace: {
        next: async () => {
          begunAtTurns.push(begun.length);
          return 2;
        },
      },
    });
    for (let index = 0; index < 10; index++) await turn();
    expect(begunAtTurns).to.deep.equal([0, 2, 4, 5]);
    expect(begun).to.deep.equal(numbers(5));
    ending.resolve();
    expect(await working).to.deep.equal({ done: 12, kept: 0, failed: 0 });
  });
});
