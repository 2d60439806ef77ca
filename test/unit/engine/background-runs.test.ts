import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { createBackgroundRuns } from '#command/engine/background-runs.ts';

const IDLE_WITHIN_MS = 5000;

describe('Work beside requests', () => {
  it('is done once for all that wake it in quick succession, and again for what comes later', async () => {
    let runs = 0;
    const work = createBackgroundRuns(
      () => Promise.resolve(++runs),
      (error) => expect.fail(String(error)),
    );
    for (let call = 0; call < 5; call++) work.wake();
    expect(await work.idle(IDLE_WITHIN_MS)).to.equal(true);
    expect(runs).to.equal(1);
    work.wake();
    expect(await work.idle(IDLE_WITHIN_MS)).to.equal(true);
    expect(runs).to.equal(2);
  });

  it('goes on one run at a time, and is not idle meanwhile', async () => {
    const release = Promise.withResolvers<void>();
    let runs = 0;
    const work = createBackgroundRuns(
      async () => {
        runs++;
        await release.promise;
      },
      (error) => expect.fail(String(error)),
    );
    const first = work.run();
    const second = work.run();
    expect(await work.idle(0)).to.equal(false);
    release.resolve();
    await Promise.all([first, second]);
    expect(runs).to.equal(1);
    expect(await work.idle(IDLE_WITHIN_MS)).to.equal(true);
  });

  it('reports a failure, and is done the next time all the same', async () => {
    const failures: unknown[] = [];
    let runs = 0;
    const work = createBackgroundRuns(
      () => (++runs === 1 ? Promise.reject(new Error('away')) : Promise.resolve()),
      (error) => failures.push(error),
    );
    for (const _ of [1, 2]) {
      work.wake();
      expect(await work.idle(IDLE_WITHIN_MS)).to.equal(true);
    }
    expect([runs, failures.length]).to.deep.equal([2, 1]);
  });

  it('ends with the run under way once it is stopped', async () => {
    const release = Promise.withResolvers<void>();
    let runs = 0;
    const work = createBackgroundRuns(
      async () => {
        runs++;
        await release.promise;
      },
      (error) => expect.fail(String(error)),
    );
    const running = work.run();
    let isStopped = false;
    const stopping = work.stop().then(() => (isStopped = true));
    work.wake();
    await nextTurn();
    expect([isStopped, work.isStopped()]).to.deep.equal([false, true]);
    release.resolve();
    await Promise.all([running, stopping]);
    expect(await work.idle(0)).to.equal(true);
    expect(runs).to.equal(1);
  });
});
