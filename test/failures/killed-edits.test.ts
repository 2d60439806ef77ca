import { expect } from 'chai';
import { MortalShop } from '#test/support/mortal-shop.ts';
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
  let shop: MortalShop;
  let tea: string;
  let mug: string;
  beforeEach(async () => {
    shop = await MortalShop.open();
    tea = await shop.sell('tea', { price: 10, stock: 5 });
    mug = await shop.sell('mug', { price: 4, stock: 5 });
  });
  afterEach(() => shop.close());

  for (const point of deaths) {
    it(`through an edit, ${point.when} ${point.eventType}, has all of it or nothing`, async () => {
      await shop.live(point);
      const shopper = shop.shopper();
      await shopper.prepare(tea);
      const invoiceId = (await shopper.pay()).body.invoiceId as string;
      await shopper.payWith(invoiceId);
      const edit = { version: 0, productsToAdd: [{ productId: mug, quantity: 2 }] };
      await shop.dieOf(shop.admin.ask(manage.put(`/orders/${invoiceId}/edit`, edit)));
      await shop.live();
      await shop.settle();
      const { body } = await shop.admin.ask(manage.get(`/orders/${invoiceId}/edit`));
      expect([body.version, body.subTotal]).to.be.deep.oneOf([
        [0, 10],
        [1, 18],
      ]);
      expect((await shop.audit()).problems).to.deep.equal([]);
    });
  }
});
