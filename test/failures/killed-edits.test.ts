import { expect } from 'chai';
import { holds } from '#test/support/faults.ts';
import { useMortalShop } from '#test/support/mortal-shop.ts';
import { manage } from '#test/support/requests.ts';
import type { Death } from '#test/support/shop-process.ts';

/** Between each two steps of an edit that reserves, gives back, lets stock follow, and tells the customer. */
const deaths: readonly Death[] = [
  { when: 'after', eventType: 'InvoiceEditBegun' },
  { when: 'before', eventType: 'InvoiceEdited' },
  { when: 'after', eventType: 'InvoiceEdited' },
  { when: 'after', eventType: 'ReservationEdited' },
  { when: 'before', eventType: 'CustomerSaleChanged' },
  { when: 'before', eventType: 'InvoiceEditEnded' },
];

/** Between each two steps of an edit that has reserved a part of what it needs, and cannot have the rest. */
const deathsOfRefused: readonly Death[] = [
  { when: 'after', eventType: 'StockReserved' },
  { when: 'before', eventType: 'StockReleased' },
  { when: 'after', eventType: 'StockReleased' },
  { when: 'before', eventType: 'InvoiceEditEnded' },
];

describe('A shop that is killed half way', () => {
  const at = useMortalShop();
  let tea: string;
  let cup: string;
  let mug: string;
  beforeEach(async () => {
    tea = await at.shop.sell('tea', { price: 10, stock: 5 });
    cup = await at.shop.sell('cup', { price: 5, stock: 5 });
    mug = await at.shop.sell('mug', { price: 4, stock: 5 });
  });

  const buy = async (...goods: readonly [string, number][]): Promise<string> => {
    const shopper = at.shop.shopper();
    const [[last, units] = ['', 0], ...others] = goods;
    for (const [one, quantity] of others) await shopper.add(one, quantity);
    await shopper.prepare(last, units);
    const invoiceId = (await shopper.pay()).body.invoiceId as string;
    await shopper.payWith(invoiceId);
    return invoiceId;
  };
  const edit = (id: string, body: object) => at.shop.admin.ask(manage.put(`/orders/${id}/edit`, body));
  const shown = async (id: string) => (await at.shop.admin.ask(manage.get(`/orders/${id}/edit`))).body;

  for (const point of deaths) {
    it(`through an edit, ${point.when} ${point.eventType}, has all of it or nothing`, async () => {
      await at.shop.live(point);
      const invoiceId = await buy([tea, 3], [cup, 1]);
      const lines: readonly { id: string; sku: string }[] = (await shown(invoiceId)).orders[0].lineItems;
      const idOf = (name: string) => lines.find(({ sku }) => sku === name)?.id;
      const change = {
        version: 0,
        lineItems: [{ id: idOf('tea'), quantity: 1 }],
        removedLineItems: [{ id: idOf('cup'), shouldReturnToStock: false }],
        productsToAdd: [{ productId: mug, quantity: 2 }],
      };
      await at.shop.killedBy(edit(invoiceId, change));
      await at.shop.settle();
      const { version, subTotal } = await shown(invoiceId);
      expect([version, subTotal]).to.be.deep.oneOf([
        [0, 35],
        [1, 18],
      ]);
      await at.shop.soundSales();
    });
  }

  for (const point of deathsOfRefused) {
    it(`through an edit that is refused, ${point.when} ${point.eventType}, keeps nothing for it`, async () => {
      const invoiceId = await buy([tea, 1]);
      const adding = [tea, cup, mug].map((productId) => ({ productId, quantity: 2 }));
      const rival = at.shop.shopper();
      await rival.prepare(cup, 5, 'rival@example.com');
      // What it has seen in stock is gone by the time it asks for it.
      at.shop.log.runBefore('append', holds('InvoiceEditBegun'), async () => {
        expect((await rival.pay()).status).to.equal(200);
        at.shop.dieNext(point);
      });
      await at.shop.killedBy(edit(invoiceId, { version: 0, productsToAdd: adding }));
      await at.shop.settle();
      expect(await shown(invoiceId)).to.include({ version: 0, subTotal: 10 });
      await at.shop.soundSales();
    });
  }
});
