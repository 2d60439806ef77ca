import { expect } from 'chai';
import fc from 'fast-check';
import { addAfterwards, buyerAt, offeringRule, skipOffer } from '#test/support/buying-shop.ts';
import { MortalShop } from '#test/support/mortal-shop.ts';
import { manage } from '#test/support/requests.ts';

/** What a buyer does with an offer, one thing after the other. */
type Deed = 'add' | 'add again' | 'add twice at once' | 'add too much' | 'skip' | 'wait';

const deeds = fc.array(
  fc.constantFrom<Deed>('add', 'add again', 'add twice at once', 'add too much', 'skip', 'wait'),
  { minLength: 1, maxLength: 3 },
);
/** A card that pays, one that does not, and two that somebody would have to go to their bank with. */
const cards = fc.constantFrom('tok_success', 'tok_success', 'tok_saved_decline', 'tok_3ds', 'tok_pending');

const BUYERS = 14;

// docs/rules/post-purchase.md#steps
describe('Whatever buyers do with what they are offered after a purchase', () => {
  let shop: MortalShop;
  before(async () => {
    shop = await MortalShop.open();
  });
  after(() => shop.close());

  it('leaves no order on hold, no charge without its line, and charges that equal the payments', async () => {
    const mug = await shop.sell('mug', { price: 10, stock: 100 });
    const cup = await shop.sell('cup', { price: 4, stock: 9 });
    const rule = (await shop.admin.ask(offeringRule(mug, cup))).body.id as string;
    await shop.settle();
    const invoices: string[] = [];
    const plans = fc.sample(fc.tuple(cards, deeds), { numRuns: BUYERS, seed: 16 });
    for (const [savedToken, plan] of plans) {
      const { customer, invoiceId, methodId } = await buyerAt(shop, mug, { savedToken });
      invoices.push(invoiceId);
      const add = (key: string, quantity = 2) =>
        customer.ask(
          addAfterwards(invoiceId, {
            ...{ productId: cup, quantity, upsellRuleId: rule, savedPaymentMethodId: methodId },
            idempotencyKey: key,
          }),
        );
      for (const deed of plan)
        switch (deed) {
          case 'add':
          case 'add again':
            await add('one');
            break;
          case 'add twice at once':
            await Promise.all([add('one'), add('two')]);
            break;
          case 'add too much':
            await add('much', 500);
            break;
          case 'skip':
            await customer.ask(skipOffer(invoiceId));
            break;
          case 'wait':
            await shop.tester.post('/testing/clock', { advanceSeconds: 301 });
            break;
        }
    }
    await shop.tester.post('/testing/clock', { advanceSeconds: 301 });
    await shop.tester.post('/testing/jobs/release-holds');
    await shop.settle();
    for (const invoiceId of invoices) {
      const { body: invoice } = await shop.admin.ask(manage.get(`/orders/${invoiceId}`));
      const charged = (await shop.tester.get('/testing/sandbox-charges')).body.filter(
        (one: { invoiceId: string; status: string }) =>
          one.invoiceId === invoiceId && one.status === 'Completed',
      ) as { amount: number }[];
      expect(invoice.orders[0].status).to.equal('ReadyToFulfill');
      expect(invoice.balanceDue).to.equal(0);
      expect(charged.reduce((sum, { amount }) => sum + amount, 0)).to.be.closeTo(
        invoice.total as number,
        0.001,
      );
    }
    expect((await shop.audit()).problems).to.deep.equal([]);
  });
});
