import { expect } from 'chai';
import { anyMeta, startTestEngine } from '#test/support/engine.ts';
import { inventoryEvents, type InventoryEvent } from '#events/inventory.events.ts';
import { verifyChain } from '#log/hash-chain.ts';
import type { Decider } from '#kernel/decider.ts';
import type { EventOfType } from '#kernel/event.ts';
import { newId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';

const { StockAdjusted } = inventoryEvents.create;

/** A shelf with room for so many pieces. */
const shelf: Decider<
  { stock: number },
  { readonly type: 'Put'; readonly pieces: number },
  EventOfType<InventoryEvent, 'StockAdjusted'>,
  number
> = {
  category: 'stock',
  initial: () => ({ stock: 0 }),
  decide: ({ stock }, { pieces }, room) => {
    if (stock + pieces > room) throw new Rejection('no-room', 'The shelf is full.');
    const row = { productId: 'mug', warehouseId: 'london', sku: 'MUG' };
    const levels = { stock: stock + pieces, reserved: 0 };
    return [StockAdjusted({ ...row, adjustedBy: pieces, reason: 'delivery', ...levels })];
  },
  on: { StockAdjusted: (_, { data: { stock } }) => ({ stock }) },
  remembersCommands: true,
};

describe('F20 batch append', () => {
  it('one of twenty commands is refused and the append conflicts once: nineteen succeed', async () => {
    const { engine, store } = await startTestEngine();
    const id = newId();
    const put = (pieces: number) =>
      engine.execute({
        decider: shelf,
        id,
        command: { type: 'Put', pieces },
        context: () => 100,
        meta: anyMeta(),
      });
    const sizes: number[] = [];
    store.runBefore(
      'append',
      (_, events) => {
        sizes.push(events.length);
        return false;
      },
      () => undefined,
    );
    store.conflictOnce((_, events) => events.length > 1);
    const answers = await Promise.allSettled(
      Array.from({ length: 20 }, (_, command) => put(command === 7 ? 1000 : 1)),
    );

    const done = answers.filter((answer) => answer.status === 'fulfilled');
    const refused = answers.filter((answer) => answer.status === 'rejected');
    expect(done).to.have.length(19);
    expect(refused.map(({ reason }) => (reason as Rejection).code)).to.deep.equal(['no-room']);
    expect(answers[7]?.status).to.equal('rejected');
    expect(sizes, 'appended together, again after the conflict').to.deep.equal([19, 19]);
    expect(engine.counters().conflicts).to.deep.equal({ stock: 1 });

    const stored = await store.readStream(`stock-${id}`);
    expect(stored.map(({ revision }) => revision)).to.deep.equal(Array.from({ length: 19 }, (_, i) => i));
    expect(verifyChain(stored).isIntact).to.equal(true);
    const told = done.map(({ value }) => value.events[0]?.revision);
    expect(told).to.deep.equal(stored.map(({ revision }) => revision));
  });
});
