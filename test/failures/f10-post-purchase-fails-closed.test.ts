import { expect } from 'chai';
import { addAfterwards, buyerAt, offeringRule, showOffer } from '#test/support/buying-shop.ts';
import { faultyEventStore, holds, type FaultyEventStore } from '#test/support/faults.ts';
import { manage } from '#test/support/requests.ts';
import { TestShop } from '#test/support/shop.ts';

interface Charge {
  readonly invoiceId: string;
  readonly amount: number;
  readonly status: string;
}

/** The log refuses payment and edit so often. */
const refused = (log: FaultyEventStore, times: number): void => {
  for (let time = 0; time < times; time++)
    log.runBefore('append', holds('PostPurchaseAdded'), () => {
      throw new Error('the log refuses the append');
    });
};

// docs/rules/post-purchase.md#steps
describe('F10: what is added after a purchase fails closed', () => {
  let shop: TestShop;
  let log: FaultyEventStore;
  let mug: string;
  let cup: string;
  let ruleId: string;
  before(async () => {
    shop = await TestShop.open({ wrapStore: (store) => (log = faultyEventStore(store)) });
    mug = await shop.sell('mug', { price: 10, stock: 100 });
    cup = await shop.sell('cup', { price: 4, stock: 16 });
    ruleId = (await shop.admin.ask(offeringRule(mug, cup))).body.id as string;
    await shop.settle();
  });
  after(() => shop.close());

  /** Adds two cups while this stands in the way. */
  const addCups = async (fault: () => void) => {
    const { customer, invoiceId, methodId } = await buyerAt(shop, mug);
    fault();
    const wish = { productId: cup, quantity: 2, upsellRuleId: ruleId, savedPaymentMethodId: methodId };
    const add = addAfterwards(invoiceId, { ...wish, idempotencyKey: 'one' });
    const answer = await customer.ask(add);
    await shop.settle();
    const invoice = (await shop.admin.ask(manage.get(`/orders/${invoiceId}`))).body;
    const charges = (await shop.tester.get('/testing/sandbox-charges')).body as readonly Charge[];
    return {
      answer,
      again: await customer.ask(add),
      offer: await customer.ask(showOffer(invoiceId)),
      total: invoice.total as number,
      balanceDue: invoice.balanceDue as number,
      status: invoice.orders[0].status as string,
      charges: charges
        .filter((one) => one.invoiceId === invoiceId)
        .map(({ amount, status }) => [amount, status]),
    };
  };

  it('gives the charge back, leaves the invoice as it was, lets the order go, and says so', async () => {
    const { answer, again, offer, ...left } = await addCups(() => refused(log, 3));
    expect([answer.status, answer.code]).to.deep.equal([400, 'add-failed']);
    expect(answer.body).to.deep.equal({
      success: false,
      code: 'add-failed',
      message: 'Nothing was added: It could not be recorded. What was charged is given back.',
    });
    expect(again.text).to.equal(answer.text);
    expect(offer.body).to.include({ windowExpired: true });
    expect(left).to.deep.include({
      total: 17,
      balanceDue: 0,
      status: 'ReadyToFulfill',
      charges: [
        [17, 'Completed'],
        [9.6, 'Refunded'],
      ],
    });
  });

  for (const [how, fault] of [
    ['refused twice and taken then', (): void => refused(log, 2)],
    [
      'not taken at first, with the log away',
      (): void => log.failAppend('before', holds('PostPurchaseAdded')),
    ],
    ['taken, though nobody hears of it', (): void => log.failAppend('after', holds('PostPurchaseAdded'))],
  ] as const)
    it(`adds and charges once what is ${how}`, async () => {
      const { answer, total, status, charges } = await addCups(fault);
      expect([answer.status, total, status]).to.deep.equal([200, 26.6, 'ReadyToFulfill']);
      expect(charges).to.deep.equal([
        [17, 'Completed'],
        [9.6, 'Completed'],
      ]);
    });

  it('holds nothing of what was not added', async () => {
    const { customer, invoiceId, methodId } = await buyerAt(shop, mug);
    const wish = { productId: cup, quantity: 10, upsellRuleId: ruleId, savedPaymentMethodId: methodId };
    const answer = await customer.ask(addAfterwards(invoiceId, { ...wish, idempotencyKey: 'the rest' }));
    expect(answer.status, answer.text).to.equal(200);
  });
});
