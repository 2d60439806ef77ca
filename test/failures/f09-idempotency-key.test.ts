import { expect } from 'chai';
import { anyMeta, startTestEngine } from '#test/support/engine.ts';
import { inventoryEvents, type InventoryEvent } from '#events/inventory.events.ts';
import { createIdempotency } from '#command/engine/idempotency.ts';
import type { Decider } from '#kernel/decider.ts';
import { newId } from '#kernel/ids.ts';

const { StockAdjusted } = inventoryEvents.create;

const shelf: Decider<{ stock: number }, { readonly type: 'Put' }, InventoryEvent> = {
  category: 'stock',
  initial: () => ({ stock: 0 }),
  decide: ({ stock }) => {
    const row = { productId: 'mug', warehouseId: 'london', sku: 'MUG' };
    return [StockAdjusted({ ...row, adjustedBy: 1, reason: 'delivery', stock: stock + 1, reserved: 0 })];
  },
  evolve: (state, event) => (event.type === 'StockAdjusted' ? { stock: event.data.stock } : state),
  remembersCommands: true,
};

/** One endpoint that puts a piece on the shelf; processes come and go. */
const start = async () => {
  const { store, stateStore, clock, another } = await startTestEngine();
  const id = newId();
  const startProcess = async () => {
    const idempotency = await createIdempotency({ stateStore, instanceId: newId(), isOnlyWriter: true });
    const engine = another();
    const post = (afterwards: () => void = () => undefined) =>
      idempotency.run(
        {
          scope: { caller: 'ada', method: 'POST', path: '/stock' },
          key: 'once',
          bodyFingerprint: 'one mug',
          now: clock.now(),
        },
        async (commandId) => {
          const put = { type: 'Put' } as const;
          const meta = anyMeta(commandId);
          const { state, events } = await engine.execute({
            decider: shelf,
            id,
            command: put,
            context: () => undefined,
            meta,
          });
          afterwards();
          return { status: 201, stock: state.stock, eventId: events[0]?.id };
        },
      );
    return { post };
  };
  return { store, stateStore, stream: `stock-${id}`, startProcess };
};

const crash = (): never => {
  throw new Error('crash after the append');
};

describe('F09 idempotency key', () => {
  it('a crash between the append and its answer: the repeat is recognised and answered, the effect single', async () => {
    const { store, stream, startProcess } = await start();
    const { post } = await startProcess();
    const error = await post(crash).catch((reason: unknown) => reason);
    expect(error).to.have.property('message', 'crash after the append');
    const [stored] = await store.readStream(stream);
    expect(await post()).to.deep.equal({ status: 201, stock: 1, eventId: stored?.id });
    expect(await store.readStream(stream)).to.have.length(1);
  });

  it('the stored answer is lost: it is rebuilt from the log, also after a restart', async () => {
    const { store, stateStore, stream, startProcess } = await start();
    const first = await (await startProcess()).post();
    await stateStore.drop('idempotency');
    expect(await (await startProcess()).post()).to.deep.equal(first);
    expect(await store.readStream(stream)).to.have.length(1);
  });

  it('still remembered after a restart', async () => {
    const { store, stream, startProcess } = await start();
    const first = await (await startProcess()).post();
    expect(await (await startProcess()).post()).to.deep.equal(first);
    expect(await store.readStream(stream)).to.have.length(1);
  });
});
