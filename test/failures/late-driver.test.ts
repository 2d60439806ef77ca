import { expect } from 'chai';
import { openShop, type Shop } from '../../tillroll.ts';
import { openEngines } from '../../shared-kernel/open-engines.ts';
import { stockStream } from '#command/contexts/inventory/stock.stream.ts';
import { stockId } from '#values/stock-id.ts';
import { listen, type HttpServer } from '#http/server.ts';
import { loadConfig } from '#runtime/config.ts';
import { loadKeys } from '#runtime/keys.ts';
import { silentLogger } from '#runtime/logging.ts';
import { anyMeta } from '#test/support/engine.ts';
import { faultyEventStore, type FaultyEventStore, holds } from '#test/support/faults.ts';
import { ShopAt, testEnvironment } from '#test/support/shop.ts';

/** A process of the shop, and what is wrong with its way to the log. */
interface Process {
  readonly shop: Shop;
  readonly server: HttpServer;
  readonly log: FaultyEventStore;
}

/** Two processes on the same engines; the second one takes the first one for dead as soon as it starts. */
const twoProcesses = async () => {
  const config = loadConfig({ env: testEnvironment() });
  const keys = loadKeys(config);
  const engines = await openEngines(config.engines);
  const processes: Process[] = [];
  const start = async (isOnlyWriter: boolean): Promise<Process> => {
    const log = faultyEventStore({
      ...faultyEventStore(engines.store),
      isOnlyWriter,
      close: () => Promise.resolve(),
    });
    const shop = await openShop({ config, keys, engines: { ...engines, store: log }, log: silentLogger() });
    await shop.prepare();
    const started = { shop, log, server: await listen(shop.app, 0, '127.0.0.1') };
    processes.push(started);
    return started;
  };
  const stop = async (): Promise<void> => {
    for (const { server, shop } of processes.reverse()) {
      await server.stop();
      await shop.stop();
    }
  };
  return { start, stop };
};

/** Lets the process come to a halt just before it appends an event of this type. */
const haltBefore = (log: FaultyEventStore, type: string) => {
  const halted = Promise.withResolvers<void>();
  const woken = Promise.withResolvers<void>();
  log.runBefore('append', holds(type), () => {
    halted.resolve();
    return woken.promise;
  });
  return { halted: halted.promise, wake: () => woken.resolve() };
};

describe('a driver of a placement that stood still and wakes after another has taken over', () => {
  let replicas: Awaited<ReturnType<typeof twoProcesses>>;
  let first: Process;
  let at: ShopAt;
  let mug: string;

  beforeEach(async () => {
    replicas = await twoProcesses();
    first = await replicas.start(false);
    at = new ShopAt(`http://127.0.0.1:${first.server.port}`);
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
  const takeOver = async (): Promise<Process> => {
    const second = await replicas.start(true);
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
    const { streams } = (await replicas.start(false)).shop.command.deps;
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
