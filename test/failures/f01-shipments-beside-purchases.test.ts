import { expect } from 'chai';
import { faultyEventStore, holdUntilBegun, type FaultyEventStore } from '#test/support/faults.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop } from '#test/support/shop.ts';

const management = '/backoffice/api/v1';
const SHOPPERS = 20;

describe('F01: the last units, while others are packed, undone and cancelled', () => {
  let log: FaultyEventStore;
  let shop: TestShop;
  before(async () => {
    shop = await TestShop.open({ wrapStore: (store) => (log = faultyEventStore(store)) });
  });
  after(() => shop.close());

  it('go to as many shoppers as there are units, and never below what is reserved', async () => {
    const mug = await shop.sell('few-mugs', { price: 12, stock: 11 });
    const buy = async (index: number) => {
      const shopper = shop.shopper();
      await shopper.prepare(mug, 2, `early${index}@example.com`);
      const invoiceId = (await shopper.pay()).body.invoiceId as string;
      await shopper.payWith(invoiceId);
      await shop.settle();
      const [order] = (await shop.admin.get(`${management}/orders/${invoiceId}`)).body.orders;
      return { invoiceId, orderId: order.id as string, lineId: order.lineItems[0].id as string };
    };
    const sold = [await buy(0), await buy(1), await buy(2), await buy(3)];
    const shoppers = Array.from({ length: SHOPPERS }, () => shop.shopper());
    for (const [index, shopper] of shoppers.entries())
      await shopper.prepare(mug, 1, `late${index}@example.com`);
    holdUntilBegun(log, SHOPPERS, 'StockReserved');

    const pack = ({ orderId, lineId }: (typeof sold)[number], quantity: number) =>
      shop.admin.post(`${management}/orders/${orderId}/shipments`, { lineItems: { [lineId]: quantity } });
    /** Packed twice in parts and undone once; the others are shipped whole, and one is cancelled. */
    const desk = sold.map(async (order, index) => {
      const first = await pack(order, index === 1 ? 1 : 2);
      expect(first.status).to.equal(201);
      if (index === 1) await shop.admin.delete(`${management}/shipments/${first.body.id}`);
      if (index === 2)
        await shop.admin.post(`${management}/orders/${order.invoiceId}/cancel`, {
          reason: 'Changed her mind',
        });
    });
    const answers = await Promise.all(shoppers.map((shopper) => shopper.pay()));
    await Promise.all(desk);
    await shop.settle();

    const won = answers.filter(({ status }) => status === 200).length;
    expect(won).to.be.within(3, 5);
    const levels = (await eventsIn(shop))
      .filter(({ stream }) => stream.startsWith('stock-'))
      .map(({ data }) => data as { readonly stock: number; readonly reserved?: number });
    for (const { stock, reserved = 0 } of levels) expect(reserved).to.be.within(0, stock);
    // Eleven, of which two orders have left with two each; one order of two is still to be packed.
    expect(levels.at(-1)).to.deep.include({ stock: 7, reserved: 2 + won });
  });
});
