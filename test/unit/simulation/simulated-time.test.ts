import { expect } from 'chai';
import {
  createSimulatedTime,
  MINUTE,
  type Beginning,
  type Doings,
} from '#command/simulation/simulated-time.ts';
import { when } from '#test/support/refusal.ts';

const start = Date.UTC(2026, 0, 5);

/** Somebody who writes down when they do something, with pauses in between. `now` in minutes. */
const somebody = (
  name: string,
  at: number,
  pauses: readonly number[],
  diary: string[],
  now: () => number,
): Beginning => ({
  at,
  begin: async function* (): Doings {
    const write = () => diary.push(`${name} ${now()}`);
    write();
    for (const pause of pauses) {
      yield pause;
      write();
    }
  },
});

describe('Simulated time', () => {
  it('moves from one due task to the next, whichever it is', async () => {
    const time = createSimulatedTime(start);
    const diary: string[] = [];
    const now = () => (time.clock.now() - start) / MINUTE;
    await time.run([
      somebody('Ada', start + 2 * MINUTE, [600 * MINUTE, 600 * MINUTE], diary, now),
      somebody('Grace', start + 300 * MINUTE, [900 * MINUTE], diary, now),
    ]);
    expect(diary).to.deep.equal(['Ada 2', 'Grace 300', 'Ada 602', 'Grace 1200', 'Ada 1200']);
  });

  it('does together what is due within four hours, and nothing later than planned', async () => {
    const time = createSimulatedTime(start);
    const diary: string[] = [];
    const now = () => (time.clock.now() - start) / MINUTE;
    await time.run([
      somebody('Ada', start + 1 * MINUTE, [2 * MINUTE, 3 * MINUTE], diary, now),
      somebody('Grace', start + 240 * MINUTE, [MINUTE], diary, now),
      somebody('Ivy', start + 300 * MINUTE, [], diary, now),
    ]);
    expect(diary).to.deep.equal(['Ada 1', 'Grace 1', 'Grace 2', 'Ada 2', 'Ada 5', 'Ivy 300']);
  });

  it('never goes back, and goes on where the last run ended', async () => {
    const time = createSimulatedTime(start);
    const diary: string[] = [];
    const minutes = () => (time.clock.now() - start) / MINUTE;
    await time.run([somebody('Ada', start + 30 * MINUTE, [], diary, minutes)]);
    await time.run([somebody('Grace', start + 10 * MINUTE, [], diary, minutes)]);
    time.moveTo(start);
    expect(diary).to.deep.equal(['Ada 30', 'Grace 30']);
    expect(time.clock.now()).to.equal(start + 30 * MINUTE);
  });

  it('does a bounded number of things at once', async () => {
    const time = createSimulatedTime(start);
    let under = 0;
    let most = 0;
    const busy = (at: number): Beginning => ({
      at,
      begin: async function* (): Doings {
        most = Math.max(most, ++under);
        await Promise.resolve();
        under--;
      },
    });
    await time.run(Array.from({ length: 500 }, () => busy(start)));
    expect(most).to.equal(256);
  });

  it('reports what went wrong', async () => {
    const time = createSimulatedTime(start);
    const failing: Beginning = {
      at: start,
      begin: async function* (): Doings {
        yield MINUTE;
        throw new Error('the disk is full');
      },
    };
    await when(time.run([failing])).thenFails(Error, 'the disk is full');
  });
});
