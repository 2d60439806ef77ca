import { expect } from 'chai';
import { addAfterwards, buyerAt, offeringRule, skipOffer } from '#test/support/buying-shop.ts';
import { MortalShop, type RowDeath } from '#test/support/mortal-shop.ts';
import { manage } from '#test/support/requests.ts';
import type { Death } from '#test/support/shop-process.ts';

/** Between each two steps of an add that reserves, charges, records, and has the rest follow. */
const deaths: readonly (Death | RowDeath)[] = [
  { when: 'before', eventType: 'PostPurchaseAddBegun' },
  { when: 'after', eventType: 'PostPurchaseAddBegun' },
  { when: 'after', eventType: 'StockReserved' },
  { when: 'before', rowIn: 'sandbox_charges' },
  { when: 'after', rowIn: 'sandbox_charges' },
  { when: 'before', eventType: 'PostPurchaseAdded' },
  { when: 'after', eventType: 'PostPurchaseAdded' },
  { when: 'after', eventType: 'ReservationEdited' },
  { when: 'before', eventType: 'PostPurchaseAddSettled' },
];

// docs/rules/post-purchase.md#steps
describe('A shop that is killed after a purchase', () => {
  let shop: MortalShop;
  let mug: string;
  let cup: string;
  let ruleId: string;
  beforeEach(async () => {
    shop = await MortalShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 50 });
    cup = await shop.sell('cup', { price: 4, stock: 50 });
    ruleId = (await shop.admin.ask(offeringRule(mug, cup))).body.id as string;
    await shop.settle();
  });
  afterEach(() => shop.close());

  const add = ({ invoiceId, methodId }: { readonly invoiceId: string; readonly methodId: string }) =>
    addAfterwards(invoiceId, {
      ...{ productId: cup, quantity: 2, upsellRuleId: ruleId, savedPaymentMethodId: methodId },
      idempotencyKey: 'once',
    });
  const statusOf = async (invoiceId: string): Promise<string> => {
    await shop.settle();
    return (await shop.admin.ask(manage.get(`/orders/${invoiceId}`))).body.orders[0].status as string;
  };

  for (const death of deaths) {
    const what = 'rowIn' in death ? 'the charge' : death.eventType;
    it(`in an add, ${death.when} ${what}, adds and charges once for whoever asks again`, async () => {
      const buyer = await buyerAt(shop, mug);
      await shop.live(death);
      await shop.dieOf(buyer.customer.ask(add(buyer)));
      await shop.live();
      const { status, text, body } = await buyer.customer.ask(add(buyer));
      expect([status, body.amountCharged, body.invoiceTotal], text).to.deep.equal([200, 9.6, 26.6]);
      expect(await statusOf(buyer.invoiceId)).to.equal('ReadyToFulfill');
      const charges = (await shop.charges()).filter(({ invoiceId }) => invoiceId === buyer.invoiceId);
      expect(charges.map(({ amount }) => amount)).to.deep.equal([17, 9.6]);
      expect((await shop.audit()).problems).to.deep.equal([]);
    });
  }

  it('goes on with an add by itself', async () => {
    const buyer = await buyerAt(shop, mug);
    await shop.live({ when: 'before', eventType: 'PostPurchaseAdded' });
    await shop.dieOf(buyer.customer.ask(add(buyer)));
    await shop.live();
    expect(await statusOf(buyer.invoiceId)).to.equal('ReadyToFulfill');
    expect((await shop.audit()).problems).to.deep.equal([]);
  });

  it('in a refused add, gives everything back', async () => {
    const buyer = await buyerAt(shop, mug, { savedToken: 'tok_saved_decline' });
    await shop.live({ when: 'before', eventType: 'PostPurchaseAddFailed' });
    await shop.dieOf(buyer.customer.ask(add(buyer)));
    await shop.live({ when: 'after', eventType: 'StockReleased' });
    await shop.dieAfter(buyer.customer.ask(add(buyer)));
    await shop.live();
    expect((await buyer.customer.ask(add(buyer))).status).to.equal(400);
    expect(await statusOf(buyer.invoiceId)).to.equal('ReadyToFulfill');
    expect((await shop.audit()).problems).to.deep.equal([]);
  });

  it('has offered what it has sold, or nothing: and lets every order go', async () => {
    const sold = await buyerAt(shop, mug);
    await shop.live({ when: 'after', eventType: 'PostPurchaseEnded' });
    await shop.dieOf(sold.customer.ask(skipOffer(sold.invoiceId)));
    await shop.live();
    expect(await statusOf(sold.invoiceId)).to.equal('ReadyToFulfill');
    const expired = await buyerAt(shop, mug);
    await shop.live();
    await shop.tester.post('/testing/clock', { advanceSeconds: 301 });
    await shop.tester.post('/testing/jobs/release-holds');
    expect(await statusOf(expired.invoiceId)).to.equal('ReadyToFulfill');
    expect((await shop.audit()).problems).to.deep.equal([]);
  });
});
