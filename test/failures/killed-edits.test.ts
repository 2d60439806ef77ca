import { expect } from 'chai';
import { useMortalShop } from '#test/support/mortal-shop.ts';
import { manage } from '#test/support/requests.ts';
import type { Death } from '#test/support/shop-process.ts';

/** Between each two steps of an edit that reserves, lets stock follow, and tells the customer. */
const deaths: readonly Death[] = [
  { when: 'after', eventType: 'InvoiceEditBegun' },
  { when: 'before', eventType: 'InvoiceEdited' },
  { when: 'after', eventType: 'InvoiceEdited' },
  { when: 'after', eventType: 'ReservationEdited' },
  { when: 'before', eventType: 'CustomerSaleChanged' },
  { when: 'before', eventType: 'InvoiceEditEnded' },
];

describe('A shop that is killed half way', () => {
  const at = useMortalShop();
  let tea: string;
  let mug: string;
  beforeEach(async () => {
    tea = await at.shop.sell('tea', { price: 10, stock: 5 });
    mug = await at.shop.sell('mug', { price: 4, stock: 5 });
  });

  for (const point of deaths) {
    it(`through an edit, ${point.when} ${point.eventType}, has all of it or nothing`, async () => {
      await at.shop.live(point);
      const shopper = at.shop.shopper();
      await shopper.prepare(tea);
      const invoiceId = (await shopper.pay()).body.invoiceId as string;
      await shopper.payWith(invoiceId);
      const edit = { version: 0, productsToAdd: [{ productId: mug, quantity: 2 }] };
      await at.shop.killedBy(at.shop.admin.ask(manage.put(`/orders/${invoiceId}/edit`, edit)));
      await at.shop.settle();
      const { body } = await at.shop.admin.ask(manage.get(`/orders/${invoiceId}/edit`));
      expect([body.version, body.subTotal]).to.be.deep.oneOf([
        [0, 10],
        [1, 18],
      ]);
      await at.shop.soundSales();
    });
  }
});
