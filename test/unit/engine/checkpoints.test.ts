import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { Write } from '#ports/document-store.ts';
import type { LogMark } from '#ports/event-store.ts';
import { Checkpoints } from '#projection/engine/checkpoints.ts';
import { countdown } from '#test/support/countdown.ts';
import { silentLog } from '#test/support/plain-log.ts';

/** Checkpoints of a store that is away for the first so many writes; `made` are those that it has taken. */
const openCheckpoints = (awayFor: number, afterMilliseconds: number, isInBatch = false) => {
  const memory = createMemoryDocumentStore();
  const made: string[][] = [];
  const taken = countdown(1);
  let tries = 0;
  const write = async (writes: readonly Write[]): Promise<void> => {
    if (tries++ < awayFor) throw new EngineUnavailable('away');
    await memory.write(writes);
    made.push(writes.map((one) => ('put' in one ? `${one.put._id} ${one.position}` : one.remove)));
    taken.arrive();
  };
  const readStore = { ...memory, write };
  const options = { readStore, isInBatch, log: silentLog, afterMilliseconds, againMilliseconds: 1 };
  return { checkpoints: new Checkpoints(options), made, taken };
};

const at = (position: number): LogMark => ({ position, eventId: `event-${position}` });

describe('checkpoints of projections', () => {
  it('are kept in one write for all of them, as far as each has come', async () => {
    const { checkpoints, made, taken } = openCheckpoints(0, 1);
    checkpoints.note('orders', at(3));
    checkpoints.note('baskets', at(3));
    checkpoints.note('orders', at(5));
    await taken.all;
    expect(made).to.deep.equal([['orders 5', 'baskets 3']]);
  });

  it('are written again after the store was away, with what has come since', async () => {
    const { checkpoints, made, taken } = openCheckpoints(2, 1);
    checkpoints.note('orders', at(3));
    checkpoints.note('baskets', at(4));
    await taken.all;
    expect(made).to.deep.equal([['orders 3', 'baskets 4']]);
  });

  it('go with the documents that they vouch for where the log may lose its end without them', async () => {
    const beside = (isInBatch: boolean) =>
      openCheckpoints(0, 100_000, isInBatch).checkpoints.besideDocuments('orders', at(3));
    expect(beside(true)).to.deep.equal([
      { collection: 'checkpoints', put: { _id: 'orders', position: 3, eventId: 'event-3' }, position: 3 },
    ]);
    expect(beside(false)).to.deep.equal([]);
  });

  it('are kept at once for a generation that may be given up, and not again', async () => {
    const { checkpoints, made } = openCheckpoints(0, 100_000);
    checkpoints.note('orders', at(3));
    await checkpoints.keep(['orders']);
    await checkpoints.keep(['orders']);
    expect(made).to.deep.equal([['orders 3']]);
  });

  it('are given up where the store is away when their views are left', async () => {
    const { checkpoints, made } = openCheckpoints(1, 100_000);
    checkpoints.note('orders', at(3));
    checkpoints.note('baskets', at(4));
    await checkpoints.keep(['orders', 'baskets']);
    expect(made).to.deep.equal([]);
  });
});
