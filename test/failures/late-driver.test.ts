import { expect } from 'chai';
import { stockStream } from '#command/contexts/inventory/stock.stream.ts';
import { stockId } from '#values/stock-id.ts';
import { anyMeta } from '#test/support/engine.ts';
import { haltBefore, openReplicas, type Replica } from '#test/support/replicas.ts';
import { ShopAt } from '#test/support/shop.ts';

describe('a driver of a placement that stood still and wakes after another has taken over', () => {
  let replicas: Awaited<ReturnType<typeof openReplicas>>;
  let first: Replica;
  let at: ShopAt;
  let mug: string;

  beforeEach(async () => {
    replicas = await openReplicas();
    first = await replicas.start();
    at = new ShopAt(first.base);
    await at.furnish();
    mug = await at.sell('mug', { price: 10, stock: 5 });
  });
  afterEach(() => replicas.stop());

  const typesOf = async (...types: readonly string[]) => {
    const stored = await first.shop.runtime.store.readAll(0);
    const events = await first.shop.runtime.codec.decodeAll(stored);
    return events.filter(({ type }) => types.includes(type));
  };

  /** Starts a second process, which finishes what the first one left open. */
  const takeOver = async (): Promise<Replica> => {
    const second = await replicas.start({ isOnlyWriter: true });
    for (;;) {
      if ((await typesOf('OrderPlaced', 'OrderPlacementFailed')).length > 0) return second;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };

  for (const type of ['StockReserved', 'InvoiceNumberTaken', 'InvoiceCreated', 'OrderPlaced']) {
    it(`before ${type}: one invoice, one number, one reservation, and the shopper is told of it`, async () => {
      const shopper = at.shopper();
      await shopper.prepare(mug, 2);
      const { halted, wake } = haltBefore(first.log, type);
      const paying = shopper.pay();
      await halted;
      await takeOver();
      wake();
      const { status, body } = await paying;
      expect(status, JSON.stringify(body)).to.equal(200);
      const [created, ...others] = await typesOf('InvoiceCreated');
      expect(others).to.deep.equal([]);
      expect(created?.stream).to.include(String(body.invoiceId));
      expect(await typesOf('InvoiceNumberTaken')).to.have.length(1);
      expect(await typesOf('OrderPlaced', 'OrderPlacementFailed')).to.have.length(1);
      const [last] = (await typesOf('StockReserved', 'StockReleased')).slice(-1);
      expect(last?.data).to.include({ reserved: 2 });
    });
  }

  it('reserves nothing any more once the placement has failed, though the goods are back', async () => {
    const shopper = at.shopper();
    await shopper.prepare(mug, 2);
    const { halted, wake } = haltBefore(first.log, 'StockReserved');
    const paying = shopper.pay();
    await halted;
    const [row] = await typesOf('StockRowOpened');
    const { productId, warehouseId } = row?.data as { productId: string; warehouseId: string };
    const { streams } = (await replicas.start()).shop.command.deps;
    const adjust = (to: number) =>
      streams.send(
        stockStream,
        stockId(productId, warehouseId),
        { type: 'AdjustStock', change: { to }, reason: 'counted' },
        anyMeta(),
      );
    await adjust(1);
    await takeOver();
    await adjust(5);
    wake();
    // The first one looks at the basket again, finds that its order has failed, and begins another.
    expect((await paying).status).to.equal(200);
    const [failed] = await typesOf('OrderPlacementFailed');
    const { placementId } = failed?.data as { placementId: string };
    const reserved = await typesOf('StockReserved');
    expect(reserved).to.have.length(1);
    expect(reserved[0]?.data).to.not.include({ placementId });
    expect(await typesOf('InvoiceCreated')).to.have.length(1);
    const { state } = await first.shop.command.deps.streams.load(
      stockStream,
      stockId(productId, warehouseId),
    );
    expect(state).to.include({ reserved: 2 });
  });
});
