import { expect } from 'chai';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import type { DomainEvent, Recorded } from '#kernel/event.ts';
import { projection, type Document } from '#kernel/projection.ts';
import type { EventStore } from '#ports/event-store.ts';
import { createStretchFolds } from '#projection/engine/stretch-folds.ts';
import { counted, discarded } from '#test/support/counting-shop.ts';
import { appendPlain, plainDecoder } from '#test/support/plain-log.ts';

interface CountedThatDay extends Document {
  readonly total: number;
}

type Counted = DomainEvent<'Counted', { readonly by: number }>;

/** What was counted, by stream. It cannot take 13. */
const journal = projection<Counted>()<CountedThatDay>({
  name: 'countedByDay',
  version: 1,
  indexes: [],
  keys: ({ stream }) => [stream],
  on: {
    Counted: (known, { data: { by } }: Recorded<Counted>, key) => {
      if (by === 13) throw new Error('thirteen');
      return { _id: key, total: (known?.total ?? 0) + by };
    },
  },
});

describe('stretches of the log, folded in memory', () => {
  let log: EventStore;
  let codec: ReturnType<typeof plainDecoder>;
  const since = '2026-03-01';
  const today = '2026-03-01T08:00:00.000Z';
  const yesterday = '2026-02-28T08:00:00.000Z';

  beforeEach(() => {
    log = createMemoryEventStore();
    codec = plainDecoder();
  });

  const count = (recordedAt: string, ...by: readonly number[]): Promise<number> =>
    appendPlain(
      log,
      'counter-1',
      by.map((one) => ({ ...counted(one), recordedAt })),
    );
  /** They begin after the first event. */
  const open = () => createStretchFolds({ store: log, codec, times: { before: async () => 1 } });
  const totalOf = async (folds: ReturnType<typeof open>, position: number): Promise<number> => {
    const documents = (await folds.documentsOf(journal, { since, position })) as CountedThatDay[];
    return documents.reduce((sum, { total }) => sum + total, 0);
  };

  it('are what was recorded on the day up to the position, no more and no less', async () => {
    await count(yesterday, 1);
    await count(today, 2, 3);
    await count(yesterday, 4);
    await count(today, 5);
    const folds = open();
    const totals: number[] = [];
    for (const position of [1, 2, 3, 4, 5]) totals.push(await totalOf(folds, position));
    expect(totals).to.deep.equal([0, 2, 5, 5, 10]);
  });

  it('are read once, whoever asks how often, and a later moment goes on from an earlier one', async () => {
    await count(yesterday, 1);
    await count(today, ...Array.from({ length: 600 }, () => 1));
    const folds = open();
    const totals = await Promise.all([300, 600, 300, 450].map((position) => totalOf(folds, position)));
    expect(totals).to.deep.equal([299, 599, 299, 449]);
    expect(codec.decoded.size).to.equal(599);
    const twice = [...codec.decoded].filter(([, times]) => times > 1).map(([position]) => position);
    expect(twice.every((position) => position > 300 && position <= 450)).to.equal(true);
  });

  it('keep 32 of them, those that were used last', async () => {
    await count(yesterday, 1);
    await count(today, ...Array.from({ length: 40 }, () => 1));
    const folds = open();
    await totalOf(folds, 2);
    for (let position = 40; position > 8; position--) await totalOf(folds, position);
    const decoded = () => codec.decoded.get(2);
    const before = decoded();
    await totalOf(folds, 40);
    expect(decoded()).to.equal(before);
    await totalOf(folds, 2);
    expect(decoded()).to.equal((before ?? 0) + 1);
  });

  it('end before an event that the journal cannot take, as its view does', async () => {
    await count(yesterday, 1);
    await count(today, 2, 3, 13, 4);
    await appendPlain(log, 'counter-2', [discarded()]);
    expect(await totalOf(open(), 6)).to.equal(5);
  });
});
