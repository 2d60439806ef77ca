import { expect } from 'chai';
import { eventsIn } from '#test/support/shop-log.ts';
import { faultyEventStore, holdUntilBegun, type FaultyEventStore } from '#test/support/faults.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';

const SHOPPERS = 100;

describe('F01: the last unit', () => {
  let log: FaultyEventStore;
  let shop: TestShop;

  before(async () => {
    shop = await TestShop.open({ wrapStore: (store) => (log = faultyEventStore(store)) });
  });
  after(() => shop.close());

  it('goes to one of a hundred shoppers, and nobody else is charged', async () => {
    const mug = await shop.sell('last-mug', { price: 12, stock: 1 });
    const shoppers: Shopper[] = Array.from({ length: SHOPPERS }, () => shop.shopper());
    for (const [index, shopper] of shoppers.entries()) await shopper.prepare(mug, 1, `s${index}@example.com`);
    // Everybody's order has begun before anybody's reservation is written.
    holdUntilBegun(log, SHOPPERS, 'StockReserved');

    const answers = await Promise.all(
      shoppers.map(async (shopper) => {
        const placed = await shopper.pay();
        if (placed.status === 200) await shopper.payWith(placed.body.invoiceId);
        return placed;
      }),
    );
    await shop.settle();

    const refused = answers.filter(({ status }) => status === 400);
    expect(refused).to.have.length(SHOPPERS - 1);
    for (const { body } of refused) {
      expect(body).to.deep.include({
        success: false,
        message: 'Product last-mug: 1 wanted, 0 available.',
        requestedQuantity: 1,
        availableQuantity: 0,
      });
      expect(body.unavailableItems).to.have.length(1);
    }
    const [won] = answers.filter(({ status }) => status === 200);
    expect(await shop.charges()).to.have.length(1);
    expect((await shop.charges())[0]).to.deep.include({ invoiceId: won?.body.invoiceId, amount: 19.4 });

    const events = await eventsIn(shop);
    expect(events.filter(({ type }) => type === 'InvoiceCreated')).to.have.length(1);
    expect(events.filter(({ type }) => type === 'OrderPlacementFailed')).to.have.length(SHOPPERS - 1);
    const levels = events.filter(({ stream }) => stream.startsWith('stock-')).map(({ data }) => data);
    for (const { stock, reserved = 0 } of levels as { stock: number; reserved?: number }[]) {
      expect(reserved).to.be.within(0, stock);
    }
    expect(levels.at(-1)).to.deep.include({ stock: 1, reserved: 1 });
  });
});
