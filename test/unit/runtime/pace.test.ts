import { expect } from 'chai';
import { createPace, shareAt } from '#runtime/pace.ts';

/** A process whose event loop comes so late to every timer; how many items begin in a second of it. */
const inOneSecond = async (lateMilliseconds: number) => {
  let now = 0;
  const pace = createPace({
    now: () => now,
    pause: async (milliseconds) => {
      now += milliseconds + lateMilliseconds;
    },
  });
  // Until it knows how late it is.
  for (let turn = 0; turn < 50; turn++) await pace.next();
  const from = now;
  const counts: number[] = [];
  while (now < from + 1000) counts.push(await pace.next());
  return { begun: counts.reduce((sum, count) => sum + count, 0), most: Math.max(...counts) };
};

describe('The pace of work in the background', () => {
  it('is well over a thousand a second, a few at a time, while nothing else keeps the process busy', async () => {
    const { begun, most } = await inOneSecond(0);
    expect(begun).to.be.within(1200, 1500);
    expect(most).to.be.at.most(8);
  });

  it('stays so while callers get their responses in time, in slices of a few milliseconds', async () => {
    const { begun, most } = await inOneSecond(20);
    expect(begun).to.be.within(1200, 1500);
    expect(most).to.be.at.most(40);
  });

  it('falls the more, the longer callers have to wait, but never to nothing', async () => {
    const begun: number[] = [];
    for (const late of [20, 30, 40, 60, 1000]) begun.push((await inOneSecond(late)).begun);
    expect(begun).to.deep.equal(begun.toSorted((one, other) => other - one));
    expect(begun.at(-1)).to.be.within(1, 50);
    expect([shareAt(0), shareAt(40), shareAt(100_000)]).to.deep.equal([1, 0.25, 0.1]);
  });

  it('keeps turns of the event loop short where its own work makes them long, at hardly less speed', async () => {
    const [callersMilliseconds, itemMilliseconds] = [4, 2];
    let now = 0;
    let count = 0;
    const pace = createPace({
      now: () => now,
      pause: async (milliseconds) => {
        now += Math.max(milliseconds, callersMilliseconds + itemMilliseconds * count);
      },
    });
    for (let turn = 0; turn < 100; turn++) count = await pace.next();
    const from = now;
    let begun = 0;
    for (let turn = 0; turn < 100; turn++) begun += count = await pace.next();
    expect((now - from) / 100, 'milliseconds a turn').to.be.at.most(45);
    expect((begun / (now - from)) * 1000, 'items a second').to.be.at.least(400);
  });

  it('is shared by all jobs that ask at the same time, in equal parts', async () => {
    let now = 0;
    const pace = createPace({
      now: () => now,
      pause: async (milliseconds) => {
        const until = now + milliseconds;
        await Promise.resolve();
        now = Math.max(now, until);
      },
    });
    const begun = [0, 0, 0];
    while (now < 1000) {
      const counts = await Promise.all(begun.map(() => pace.next()));
      counts.forEach((count, job) => (begun[job] = (begun[job] ?? 0) + count));
    }
    for (const ofJob of begun) expect(ofJob).to.be.within(400, 500);
  });

  it('makes up for nothing after a pause', async () => {
    let now = 0;
    const pauses = [0, 0, 5000, 0];
    const pace = createPace({
      now: () => now,
      pause: async (milliseconds) => {
        now += milliseconds + (pauses.shift() ?? 0);
      },
    });
    const counts = [await pace.next(), await pace.next(), await pace.next(), await pace.next()];
    expect(Math.max(...counts)).to.be.at.most(40);
    expect(counts.at(-1)).to.be.at.most(counts[0] ?? 0);
  });
});
