import { expect } from 'chai';
import {
  createSimulatedTime,
  MINUTE,
  type Beginning,
  type Doings,
} from '#command/simulation/simulated-time.ts';

const start = Date.UTC(2026, 0, 5);

/** Somebody who writes down when they do what, with pauses in between. */
const somebody = (
  name: string,
  at: number,
  pauses: readonly number[],
  diary: string[],
  now: () => number,
): Beginning => ({
  at,
  begin: async function* (): Doings {
    const write = () => diary.push(`${name} ${(now() - start) / MINUTE}`);
    write();
    for (const pause of pauses) {
      yield pause;
      write();
    }
  },
});

describe('Simulated time', () => {
  it('moves from one thing that is due to the next, whoever does it', async () => {
    const time = createSimulatedTime(start);
    const diary: string[] = [];
    const { now } = time.clock;
    await time.run([
      somebody('Ada', start + 2 * MINUTE, [100 * MINUTE, 100 * MINUTE], diary, now),
      somebody('Grace', start + 50 * MINUTE, [20 * MINUTE], diary, now),
    ]);
    expect(diary).to.deep.equal(['Ada 2', 'Grace 50', 'Grace 70', 'Ada 102', 'Ada 202']);
    expect(now()).to.equal(start + 202 * MINUTE);
  });

  it('does together what is due within half an hour, and nothing later than planned', async () => {
    const time = createSimulatedTime(start);
    const diary: string[] = [];
    const { now } = time.clock;
    await time.run([
      somebody('Ada', start + 1 * MINUTE, [2 * MINUTE, 3 * MINUTE], diary, now),
      somebody('Grace', start + 30 * MINUTE, [MINUTE], diary, now),
      somebody('Ivy', start + 40 * MINUTE, [], diary, now),
    ]);
    expect(diary).to.deep.equal(['Ada 1', 'Grace 1', 'Grace 2', 'Ada 2', 'Ada 5', 'Ivy 40']);
  });

  it('never goes back, and goes on where the last run ended', async () => {
    const time = createSimulatedTime(start);
    const diary: string[] = [];
    await time.run([somebody('Ada', start + 30 * MINUTE, [], diary, () => time.clock.now())]);
    await time.run([somebody('Grace', start + 10 * MINUTE, [], diary, () => time.clock.now())]);
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
    expect(most).to.equal(64);
  });

  it('tells what went wrong', async () => {
    const time = createSimulatedTime(start);
    const failing: Beginning = {
      at: start,
      begin: async function* (): Doings {
        yield MINUTE;
        throw new Error('the disk is full');
      },
    };
    const failure = await time.run([failing]).catch((error: Error) => error.message);
    expect(failure).to.equal('the disk is full');
  });
});
