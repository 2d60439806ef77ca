import { expect } from 'chai';
import { useMortalShop } from '#test/support/mortal-shop.ts';
import { ShopProcess, type Death } from '#test/support/shop-process.ts';
import { smallStore, variantId } from '#test/support/small-store.ts';
import type { Shopper } from '#test/support/shop.ts';

const MUG = variantId('mug');
const storeFile = smallStore({ stock: { mug: 5 }, code: { code: 'ONCE', totalUsageLimit: 1 } });

/** What a request answers whose shop dies before it can. */
const unanswered = (request: Promise<unknown>): Promise<boolean> =>
  request.then(
    () => false,
    () => true,
  );

describe('F02: a reservation whose shop was killed', () => {
  let shop: ShopProcess;
  let shopper: Shopper;
  const openToDie = async (diesAt: Death): Promise<void> => {
    shop = await ShopProcess.open({ storeFile, diesAt });
    await shop.ready();
    shopper = shop.shopper();
  };
  afterEach(() => shop.close());

  it('belongs to the order, which the next start finishes; the rest of the stock is for sale', async () => {
    await openToDie({ when: 'after', eventType: 'StockReserved' });
    await shopper.prepare(MUG, 2);
    expect(await unanswered(shopper.pay())).to.be.true;
    await shop.died();

    await shop.start();
    await shop.settle();
    const other = shop.shopper();
    const tooMany = await other.add(MUG, 4);
    expect(tooMany.status).to.equal(400);
    expect(tooMany.body).to.include({ requestedQuantity: 4, availableQuantity: 3 });
    const placed = await shopper.pay();
    expect(placed.status).to.equal(200);
    expect((await shopper.payWith(placed.body.invoiceId)).body.status).to.equal('Completed');
    await other.prepare(MUG, 3, 'other@example.com');
    expect((await other.pay()).status).to.equal(200);
    const { invoices, sales, problems } = await shop.audit();
    expect({ invoices, sales, problems }).to.deep.equal({ invoices: 2, sales: 1, problems: [] });
  });

  it('is given back by the next start when the order cannot be finished', async () => {
    await openToDie({ when: 'before', eventType: 'StockReleased', placementsTogether: 2 });
    const shoppers = [shopper, shop.shopper()];
    for (const [index, one] of shoppers.entries()) {
      await one.prepare(MUG, 2, `s${index}@example.com`);
      expect((await one.applyCode('ONCE')).status).to.equal(200);
    }
    // The code is good for one of them: the other one's shop dies before it has given anything back.
    await Promise.all(shoppers.map((one) => unanswered(one.pay())));
    await shop.died();

    await shop.start();
    await shop.settle();
    const tooMany = await shop.shopper().add(MUG, 4);
    expect(tooMany.body).to.include({ requestedQuantity: 4, availableQuantity: 3 });
    const { invoices, problems } = await shop.audit();
    expect({ invoices, problems }).to.deep.equal({ invoices: 1, problems: [] });
  });
});

describe('F02: an order whose shop dies again and again', () => {
  const at = useMortalShop();

  it('is one order with one number and one charge, however often the shop dies on the way', async () => {
    const { shop } = at;
    const mug = await shop.sell('mug', { price: 4.99, stock: 5 });
    await shop.discount('ONCE', 10, 1);
    /** At each start, of what the shop goes on with by itself. */
    const dieOfEach = async (...eventTypes: readonly string[]): Promise<void> => {
      for (const eventType of eventTypes) {
        await shop.live({ when: 'after', eventType });
        // Without a request: when a dead shop ends it waits for those that it owes an answer.
        await shop.dieAfter(Promise.resolve());
      }
    };
    const shopper = shop.shopper();
    await shopper.prepare(mug, 2);
    expect((await shopper.applyCode('ONCE')).status).to.equal(200);
    shop.dieNext({ when: 'after', eventType: 'OrderPlacementStarted' });
    await shop.dieOf(shopper.pay());
    await dieOfEach(
      'StockReserved',
      'DiscountUseClaimed',
      'InvoiceNumberTaken',
      'InvoiceCreated',
      'OrderPlaced',
    );

    await shop.live({ when: 'after', eventType: 'PaymentAttempted' });
    await shop.settle();
    const { body } = await shopper.pay();
    await shop.dieOf(shopper.payWith(body.invoiceId));
    await dieOfEach('PaymentCaptured', 'CustomerSaleRecorded', 'SaleConfirmed');

    await shop.live();
    await shop.settle();
    expect((await shopper.payWith(body.invoiceId)).body.status).to.equal('Completed');
    expect(await shop.charges()).to.have.length(1);
    const { invoices, sales, problems } = await shop.audit();
    expect({ invoices, sales, problems }).to.deep.equal({ invoices: 1, sales: 1, problems: [] });
  });
});
