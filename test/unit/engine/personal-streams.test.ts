import { expect } from 'chai';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { personalStreams, type PersonalStreams } from '#command/engine/personal-streams.ts';
import type { EventStore } from '#ports/event-store.ts';
import { streamOf } from '#values/stream-name.ts';

/** Events as the log holds them: only what is in clear is looked at. */
const append = (store: EventStore, stream: string, ...events: readonly [type: string, data: object][]) =>
  store.append(
    stream,
    -1,
    events.map(([type, data], at) => ({
      id: `${stream} ${at}`,
      type,
      data: JSON.stringify(data),
      metadata: '{"schemaVersion":1,"recordedAt":"2026-03-01T09:00:00.000Z"}',
    })),
  );
const ordered = (invoiceId: string, customerId: string | null): [string, object] => [
  'OrderPlacementStarted',
  { invoiceId, content: { customerId } },
];

const partsOf = async (store: EventStore, named: readonly string[]): Promise<readonly PersonalStreams[]> => {
  const keys = { namedBy: () => Promise.resolve({ ids: named, next: null }) };
  const parts: PersonalStreams[] = [];
  for await (const part of personalStreams({ store, keys }, 'ada')) parts.push(part);
  return parts;
};

/** docs/rules/forgetting.md#whose-streams */
describe('the streams of a customer', () => {
  it('are the baskets that name them, the invoices made of these, and what was sold without a basket', async () => {
    const store = createMemoryEventStore();
    await append(
      store,
      streamOf.basket('one'),
      ['BasketStarted', {}],
      ordered('first', 'ada'),
      ordered('second', 'ada'),
    );
    await append(
      store,
      streamOf.customer('ada'),
      ['CustomerRegistered', {}],
      ['CustomerSaleRecorded', { invoiceId: 'second' }],
      ['CustomerSaleRecorded', { invoiceId: 'by staff' }],
    );
    expect(await partsOf(store, ['one', 'an address book'])).to.deep.equal([
      { basketIds: ['one'], invoiceIds: ['first', 'second', 'by staff'] },
    ]);
  });

  it('are the basket of a buyer without an e-mail address, and the invoice made of it', async () => {
    const store = createMemoryEventStore();
    await append(store, streamOf.basket('ada'), ['BasketStarted', {}], ordered('first', null));
    expect(await partsOf(store, [])).to.deep.equal([{ basketIds: ['ada'], invoiceIds: ['first'] }]);
  });

  it('leave out what a basket was bought with by somebody else', async () => {
    const store = createMemoryEventStore();
    await append(store, streamOf.basket('shared'), ordered('of ada', 'ada'), ordered('of grace', 'grace'));
    expect(await partsOf(store, ['shared'])).to.deep.equal([
      { basketIds: ['shared'], invoiceIds: ['of ada'] },
    ]);
  });

  it('come in parts of a limited size, each once', async () => {
    const store = createMemoryEventStore();
    const baskets = Array.from({ length: 300 }, (_, at) => `basket ${at}`);
    for (const basket of baskets)
      await append(store, streamOf.basket(basket), ordered(`order of ${basket}`, 'ada'));
    const parts = await partsOf(store, baskets);
    expect(parts.map(({ basketIds, invoiceIds }) => basketIds.length + invoiceIds.length)).to.deep.equal([
      250, 250, 100,
    ]);
    expect(parts.flatMap(({ basketIds }) => basketIds)).to.deep.equal(baskets);
  });

  it('are none where nothing names them', async () => {
    expect(await partsOf(createMemoryEventStore(), [])).to.deep.equal([]);
  });
});
