import { expect } from 'chai';
import { useMortalShop } from '#test/support/mortal-shop.ts';
import { manage } from '#test/support/requests.ts';
import type { Death } from '#test/support/shop-process.ts';
import type { Shopper } from '#test/support/shop.ts';

const packing: readonly Death[] = [
  { when: 'after', eventType: 'ShipmentCreated' },
  { when: 'after', eventType: 'StockAllocated' },
  { when: 'before', eventType: 'StockFollowed' },
];
const undoing: readonly Death[] = [
  { when: 'after', eventType: 'ShipmentDeleted' },
  { when: 'after', eventType: 'AllocationReversed' },
  { when: 'before', eventType: 'StockFollowed' },
];
const cancelling: readonly Death[] = [
  { when: 'after', eventType: 'InvoiceCancelled' },
  { when: 'after', eventType: 'AllocationReversed' },
  { when: 'before', eventType: 'InvoiceCleared' },
];

describe('F02: a shop that is killed between a shipment and its stock', () => {
  const at = useMortalShop();
  let tea: string;
  beforeEach(async () => {
    tea = await at.shop.sell('tea', { price: 10, stock: 5 });
  });

  const buy = async (shopper: Shopper, quantity = 2) => {
    await shopper.prepare(tea, quantity);
    const invoiceId = (await shopper.pay()).body.invoiceId as string;
    await shopper.payWith(invoiceId);
    await at.shop.settle();
    const { body } = await at.shop.admin.ask(manage.get(`/orders/${invoiceId}`));
    const [order] = body.orders;
    return { invoiceId, orderId: order.id as string, lineId: order.lineItems[0].id as string };
  };
  const packAll = ({ orderId, lineId }: { readonly orderId: string; readonly lineId: string }) =>
    manage.post(`/orders/${orderId}/shipments`, { lineItems: { [lineId]: 2 } });
  /** What can be had of it: nobody can put more into a basket. */
  const available = async (): Promise<number> =>
    (await at.shop.shopper().add(tea, 100)).body.availableQuantity as number;
  const revived = async (asking: Promise<unknown>) => {
    await at.shop.killedBy(asking);
    await at.shop.settle();
    // Meanwhile the shop goes on selling.
    await buy(at.shop.shopper(), 1);
    await at.shop.soundSales();
    await at.shop.live();
  };

  for (const point of packing) {
    it(`dies ${point.when} ${point.eventType} of a new one: the units have left once`, async () => {
      await at.shop.live(point);
      const sold = await buy(at.shop.shopper());
      await revived(at.shop.admin.ask(packAll(sold)));
      expect(await available()).to.equal(2);
      expect((await at.shop.admin.ask(packAll(sold))).status).to.equal(400);
    });
  }

  for (const point of undoing) {
    it(`dies ${point.when} ${point.eventType} of a deleted one: the units are back once, and reserved`, async () => {
      await at.shop.live();
      const sold = await buy(at.shop.shopper());
      const { id } = (await at.shop.admin.ask(packAll(sold))).body;
      await at.shop.live(point);
      await revived(at.shop.admin.ask(manage.delete(`/shipments/${id}`)));
      expect(await available()).to.equal(2);
      expect((await at.shop.admin.ask(packAll(sold))).status).to.equal(201);
    });
  }

  for (const point of cancelling) {
    it(`dies ${point.when} ${point.eventType} of a cancelled sale: everything is on the shelf again`, async () => {
      await at.shop.live();
      const sold = await buy(at.shop.shopper());
      await at.shop.admin.ask(packAll(sold));
      await at.shop.live(point);
      const cancel = manage.post(`/orders/${sold.invoiceId}/cancel`, { reason: 'Changed her mind' });
      await revived(at.shop.admin.ask(cancel));
      expect(await available()).to.equal(4);
    });
  }
});
