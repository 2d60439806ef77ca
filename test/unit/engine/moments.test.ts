import { expect } from 'chai';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { answerAsOf, createMoments, type Moment, type Moments } from '#projection/engine/moments.ts';
import { counted } from '#test/support/counting-shop.ts';
import { appendPlain, plainDecoder } from '#test/support/plain-log.ts';

const now = Date.parse('2026-03-01T12:00:00.000Z');
const asOf = { kind: 'instant', instant: now - 1000 } as const;
const journal = { name: 'journal' };

describe('a moment of the past', () => {
  let moments: Moments;
  let lag: number | null;
  beforeEach(async () => {
    const store = createMemoryEventStore();
    const position = await appendPlain(store, 'counter-1', [counted(1)]);
    lag = null;
    moments = createMoments({
      store,
      codec: plainDecoder(),
      feed: { head: () => store.head() },
      times: {
        position,
        waitFor: async () => true,
        lastRecordedBy: async () => position,
        before: async () => 0,
      },
      clock: { now: () => now },
      settings: () => ({ reportingTimeZone: 'UTC' }),
    });
  });

  /** Counts how often something is worked out. */
  const worker = () => {
    const done: string[] = [];
    return {
      done,
      ask: (moment: Moment, key: string) => moment.remember(key, async () => done.push(key)),
    };
  };
  const answer = (tell: (moment: Moment | undefined) => Promise<unknown>) =>
    answerAsOf({ moments, waitForPosition: async () => lag }, asOf, [journal], tell);

  it('is asked the same question once, by as many as there are, and by the next as well', async () => {
    const { done, ask } = worker();
    const moment = await moments.of(asOf);
    await Promise.all([ask(moment, 'sales'), ask(moment, 'sales'), ask(moment, 'orders')]);
    await ask(await moments.of(asOf), 'sales');
    expect(done).to.deep.equal(['sales', 'orders']);
  });

  it('remembers the last 32 answers, and none that failed', async () => {
    const { done, ask } = worker();
    const moment = await moments.of(asOf);
    const failed = await moment
      .remember('first', () => Promise.reject(new Error('away')))
      .catch((error: unknown) => error);
    expect(failed).to.be.an('error');
    await ask(moment, 'first');
    for (let question = 0; question < 31; question++) await ask(moment, `question ${question}`);
    await ask(moment, 'first');
    await ask(moment, 'one more');
    await ask(moment, 'first');
    await ask(moment, 'question 0');
    expect(done.filter((key) => key === 'first')).to.have.length(1);
    expect(done.filter((key) => key === 'question 0')).to.have.length(2);
  });

  it('says how far a view is behind it, and remembers nothing of that', async () => {
    const { done, ask } = worker();
    const tell = async (moment: Moment | undefined) => moment && ask(moment, 'sales');
    lag = 2.5;
    expect((await answer(tell)).headers).to.deep.equal({
      'Tillroll-As-Of': '2026-03-01T11:59:59.000Z; position=1',
      'Tillroll-Lag': '3',
    });
    lag = null;
    expect((await answer(tell)).headers).to.deep.equal({
      'Tillroll-As-Of': '2026-03-01T11:59:59.000Z; position=1',
    });
    await answer(tell);
    expect(done).to.deep.equal(['sales', 'sales']);
  });
});
