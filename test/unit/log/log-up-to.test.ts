import { expect } from 'chai';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { logUpTo } from '#log/log-up-to.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { EventStore, StoredEvent } from '#ports/event-store.ts';
import { counted, discarded } from '#test/support/counting-shop.ts';
import { appendPlain } from '#test/support/plain-log.ts';
import { when } from '#test/support/refusal.ts';

const positions = (events: readonly StoredEvent[]): readonly number[] =>
  events.map(({ position }) => position);

/** Five events of two streams, of which the first three are to be seen. */
const given = async (): Promise<EventStore> => {
  const log = createMemoryEventStore();
  await appendPlain(log, 'counter-1', [counted(1), discarded()]);
  await appendPlain(log, 'counter-2', [counted(2)]);
  await appendPlain(log, 'counter-1', [counted(3)]);
  await appendPlain(log, 'counter-3', [counted(4)]);
  return log;
};

describe('a log up to a position', () => {
  it('ends there: what came later is not there', async () => {
    const log = await given();
    const [, , third] = await log.readAll(0);
    const end = third?.position ?? 0;
    const cut = logUpTo(log, end);
    expect(await cut.head()).to.equal(end);
    expect(await cut.readAll(0)).to.deep.equal((await log.readAll(0)).slice(0, 3));
    expect(await cut.readAll(end)).to.deep.equal([]);
    expect(await cut.eventAt(end)).to.deep.equal(third);
    expect(await cut.eventAt(end + 1)).to.equal(null);
    expect(positions(await cut.readStream('counter-1'))).to.deep.equal([1, 2]);
    expect(await cut.readStream('counter-3')).to.deep.equal([]);
  });

  it('says of chosen types how far it was looked, its end included', async () => {
    const log = await given();
    const cut = logUpTo(log, 3);
    expect(positions(await cut.readAll(0, 1000, new Set(['Discarded'])))).to.deep.equal([2, 3]);
  });

  it('reads a stream backwards from its last event then, however many came later', async () => {
    const log = await given();
    await appendPlain(
      log,
      'counter-1',
      Array.from({ length: 250 }, (_, by) => counted(by)),
    );
    await appendPlain(
      log,
      'counter-9',
      Array.from({ length: 150 }, (_, by) => counted(by)),
    );
    const cut = logUpTo(log, 3);
    const backwards = { direction: 'backwards', limit: 1 } as const;
    expect(positions(await cut.readStream('counter-1', backwards))).to.deep.equal([2]);
    expect(positions(await cut.readStream('counter-1', { direction: 'backwards' }))).to.deep.equal([2, 1]);
    expect(await cut.readStream('counter-9', backwards)).to.deep.equal([]);
  });

  it('is followed up to its end, and no further', async () => {
    const log = await given();
    const stop = new AbortController();
    const seen: number[] = [];
    for await (const page of logUpTo(log, 3).subscribe(0, stop.signal)) {
      seen.push(...positions(page));
      await appendPlain(log, 'counter-4', [counted(5)]);
      setImmediate(() => stop.abort());
    }
    expect(seen).to.deep.equal([1, 2, 3]);
  });

  it('takes nothing', async () => {
    const log = await given();
    const head = await log.head();
    const cut = logUpTo(log, 3);
    await when(cut.append('counter-1', 1, [])).thenFails(EngineUnavailable);
    await cut.close();
    expect(await log.head()).to.equal(head);
  });
});
