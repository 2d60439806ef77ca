import { expect } from 'chai';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { MAX_PAGE } from '#ports/event-store.ts';
import type { Recorded } from '#kernel/event.ts';
import type { CreateLogCheck, LogEnd } from '#projection/contexts/audit/verification/log-check.ts';
import { verifyLog } from '#projection/contexts/audit/verification/verify-log.ts';
import { plainDecoder, plainEvent } from '#test/support/plain-log.ts';

const happened = (count: number, type = 'Happened') =>
  Array.from({ length: count }, (_, number) => plainEvent({ type, data: { number } }));

describe('The verification of a log', () => {
  it('shows every check every event once, and decodes those of its types', async () => {
    const store = createMemoryEventStore();
    await store.append('stock-1', -1, happened(MAX_PAGE));
    await store.append('stock-1', MAX_PAGE - 1, happened(3, 'Counted'));
    const seen = { stored: 0, decoded: [] as Recorded[], ends: [] as LogEnd[] };
    const counting: CreateLogCheck = () => ({
      name: 'counting',
      eventTypes: new Set(['Counted']),
      takeStored: () => void seen.stored++,
      take: (event) => void seen.decoded.push(event),
      finish: (end) => void seen.ends.push(end),
    });
    const { end, found } = await verifyLog({ store, decoder: plainDecoder(), checks: [counting] });
    expect(seen.stored).to.equal(MAX_PAGE + 3);
    expect(seen.decoded.map(({ data }) => data)).to.deep.equal([{ number: 0 }, { number: 1 }, { number: 2 }]);
    expect(seen.ends).to.deep.equal([end]);
    expect(end).to.deep.equal({
      position: await store.head(),
      events: MAX_PAGE + 3,
      recordedAt: '2026-03-01T12:00:00.000Z',
    });
    expect(found).to.deep.equal({ readable: 0, counting: 0 });
  });

  it('ends where the log ended when it began, however fast the shop sells', async () => {
    const store = createMemoryEventStore();
    await store.append('stock-1', -1, happened(1));
    let revision = 0;
    const selling: CreateLogCheck = () => ({
      name: 'selling',
      takeStored: () => void store.append('stock-1', revision++, happened(1)),
    });
    const { end } = await verifyLog({ store, decoder: plainDecoder(), checks: [selling] });
    expect(end.events).to.equal(1);
  });

  it('reports an event that cannot be read, and goes on behind it', async () => {
    const store = createMemoryEventStore();
    const [first, broken, last] = happened(3);
    if (!first || !broken || !last) throw new Error('three events');
    await store.append('stock-1', -1, [first, { ...broken, data: '{' }, last]);
    const numbers: unknown[] = [];
    const reading: CreateLogCheck = () => ({
      name: 'reading',
      eventTypes: new Set(['Happened']),
      take: ({ data }) => void numbers.push(data),
    });
    const { found, problems } = await verifyLog({ store, decoder: plainDecoder(), checks: [reading] });
    expect(numbers).to.deep.equal([{ number: 0 }, { number: 2 }]);
    expect(found).to.deep.equal({ readable: 1, reading: 0 });
    expect(problems[0]).to.include({ check: 'readable', stream: 'stock-1', revision: 1 });
  });
});
