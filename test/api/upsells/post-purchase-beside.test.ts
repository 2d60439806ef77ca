import { expect } from 'chai';
import {
  addAfterwards,
  buyerAt,
  offeringRule,
  previewAddition,
  showOffer,
  skipOffer,
  type Buyer,
} from '#test/support/buying-shop.ts';
import { faultyEventStore, holds, type FaultyEventStore } from '#test/support/faults.ts';
import { says } from '#test/support/owners-hooks.ts';
import { sendEvent } from '#test/support/provider-callbacks.ts';
import { manage } from '#test/support/requests.ts';
import { body, events, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';
import { eventsIn } from '#test/support/shop-log.ts';

const hooksFile = new URL('../../support/owners-hooks.ts', import.meta.url).pathname;

interface Charge {
  readonly invoiceId: string;
  readonly transactionId: string;
  readonly amount: number;
  readonly status: string;
}

// docs/rules/post-purchase.md
describe('What happens beside an offer after a purchase', () => {
  let shop: TestShop;
  let log: FaultyEventStore;
  let mug: string;
  let cup: string;
  let rule: string;
  before(async () => {
    says.clear();
    shop = await TestShop.open({
      environment: { HOOKS_FILE: hooksFile },
      wrapStore: (store) => (log = faultyEventStore(store)),
    });
    const { body: found } = await shop.admin.ask(manage.get('/shipping-options'));
    const [{ id }] = found.items as [{ id: string }];
    const weightTiers = [{ countryCode: '*', minWeightKg: 2, maxWeightKg: null, surcharge: 2 }];
    await shop.admin.ask(manage.put(`/shipping-options/${id}`, { weightTiers }));
    mug = await shop.sell('mug', { price: 10, stock: 100, weightKg: 1 });
    cup = await shop.sell('cup', { price: 4, stock: 100, weightKg: 0.5 });
    rule = await offering(mug, cup);
  });
  after(async () => {
    says.clear();
    await shop.close();
  });
  afterEach(() => says.clear());

  const offering = async (bought: string, offered: string): Promise<string> => {
    const { body: made } = await shop.admin.ask(offeringRule(bought, offered));
    await shop.settle();
    return made.id as string;
  };
  const by = ({ customer }: Buyer) => shop.given().by(customer);
  const wish = ({ methodId }: Buyer, changes: object = {}) => ({
    productId: cup,
    quantity: 1,
    upsellRuleId: rule,
    savedPaymentMethodId: methodId,
    idempotencyKey: 'one',
    ...changes,
  });
  const invoiceOf = async (invoiceId: string) => {
    await shop.settle();
    return (await shop.admin.ask(manage.get(`/orders/${invoiceId}`))).body;
  };
  const chargesOf = async (invoiceId: string): Promise<readonly Charge[]> =>
    ((await shop.tester.get('/testing/sandbox-charges')).body as readonly Charge[]).filter(
      (charge) => charge.invoiceId === invoiceId,
    );
  const told = (type: string, invoiceId: string, { transactionId, amount }: Charge) =>
    sendEvent(shop.shopper(), { type, data: { invoiceId, transactionId, amount, currency: 'GBP' } });

  it('costs more to send what is too heavy with it, and never less', async () => {
    const buyer = await buyerAt(shop, mug);
    const { invoiceId } = buyer;
    await by(buyer)
      .when(previewAddition(invoiceId, { productId: cup, quantity: 1 }))
      .then(200, { shippingDelta: 0, total: 4.8 });
    await by(buyer)
      .when(previewAddition(invoiceId, { productId: cup, quantity: 2 }))
      .then(200, { subTotal: 8, taxAmount: 1.6, shippingDelta: 2, total: 11.6 });
    await by(buyer)
      .when(addAfterwards(invoiceId, wish(buyer, { quantity: 2 })))
      .then(200, { amountCharged: 11.6, invoiceTotal: 28.6 });
    expect(await invoiceOf(invoiceId)).to.include({ shippingCost: 7, total: 28.6, balanceDue: 0 });
  });

  it('stays open when a hook objects before anything is charged', async () => {
    const buyer = await buyerAt(shop, mug);
    const { invoiceId } = buyer;
    for (const notification of ['PaymentCreatingNotification', 'InvoiceSavingNotification'] as const) {
      says.clear();
      says.set(notification, 'Not now.');
      await by(buyer)
        .when(addAfterwards(invoiceId, wish(buyer)))
        .then(400, { success: false, message: 'Not now.' })
        .and(noNewEvents());
    }
    says.clear();
    expect((await chargesOf(invoiceId)).length).to.equal(1);
    await by(buyer)
      .when(addAfterwards(invoiceId, wish(buyer)))
      .then(200);
  });

  it('keeps on hold what is disputed, and lets it go when the dispute is won', async () => {
    const buyer = await buyerAt(shop, mug);
    const { invoiceId } = buyer;
    const [charge] = await chargesOf(invoiceId);
    const data = {
      invoiceId,
      transactionId: charge?.transactionId,
      disputeId: 'd1',
      amount: 17,
      currency: 'GBP',
    };
    await sendEvent(shop.shopper(), { type: 'DisputeOpened', data });
    await by(buyer).when(skipOffer(invoiceId)).then(204).and(events('PostPurchaseEnded'));
    expect((await invoiceOf(invoiceId)).orders[0].status).to.equal('OnHold');
    await sendEvent(shop.shopper(), { type: 'DisputeResolved', data: { ...data, outcome: 'won' } });
    expect((await invoiceOf(invoiceId)).orders[0].status).to.equal('ReadyToFulfill');
  });

  it('is cancelled with its invoice', async () => {
    const buyer = await buyerAt(shop, mug);
    const { invoiceId } = buyer;
    await shop.admin.ask(manage.post(`/orders/${invoiceId}/cancel`, { reason: 'Changed their mind' }));
    await by(buyer)
      .when(addAfterwards(invoiceId, wish(buyer)))
      .then(400)
      .and(refusedFor('offer-ended'));
    await by(buyer).when(showOffer(invoiceId)).then(200, { suggestions: [], windowExpired: true });
    expect((await invoiceOf(invoiceId)).orders[0].status).to.equal('Cancelled');
  });

  it('adds what the provider tells of before the shop has recorded it, once', async () => {
    const buyer = await buyerAt(shop, mug);
    const { invoiceId } = buyer;
    log.runBefore('append', holds('PostPurchaseAdded'), async () => {
      const charge = (await chargesOf(invoiceId))[1] ?? expect.fail('nothing was charged');
      const told = sendEvent(shop.shopper(), {
        type: 'PaymentCompleted',
        data: { invoiceId, transactionId: charge.transactionId, amount: charge.amount, currency: 'GBP' },
      });
      told.catch(() => undefined);
      throw new Error('the callback is first');
    });
    await by(buyer)
      .when(addAfterwards(invoiceId, wish(buyer)))
      .then(200, { amountCharged: 4.8 });
    const invoice = await invoiceOf(invoiceId);
    expect(invoice).to.include({ total: 21.8, balanceDue: 0, creditDue: 0 });
    expect((invoice.payments as { amount: number }[]).map(({ amount }) => amount)).to.deep.equal([17, 4.8]);
    expect((await chargesOf(invoiceId)).map(({ status }) => status)).to.deep.equal([
      'Completed',
      'Completed',
    ]);
  });

  it('takes no payment for what was given back, whoever tells of it later', async () => {
    const buyer = await buyerAt(shop, mug);
    const { invoiceId } = buyer;
    for (let time = 0; time < 3; time++)
      log.runBefore('append', holds('PostPurchaseAdded'), () => {
        throw new Error('the log refuses the append');
      });
    await by(buyer)
      .when(addAfterwards(invoiceId, wish(buyer)))
      .then(400)
      .and(refusedFor('add-failed'));
    const charge = (await chargesOf(invoiceId))[1] ?? expect.fail('nothing was charged');
    expect(charge.status).to.equal('Refunded');
    await told('PaymentCompleted', invoiceId, charge);
    const invoice = await invoiceOf(invoiceId);
    expect(invoice).to.include({ total: 17, balanceDue: 0, creditDue: 0 });
    expect(invoice.payments).to.have.length(1);
  });

  it('makes the payment stand, and owed back, where the provider does not give it back at once', async () => {
    const buyer = await buyerAt(shop, mug, { savedToken: 'tok_refund_fails' });
    const { invoiceId } = buyer;
    for (let time = 0; time < 3; time++)
      log.runBefore('append', holds('PostPurchaseAdded'), () => {
        throw new Error('the log refuses the append');
      });
    await by(buyer)
      .when(addAfterwards(invoiceId, wish(buyer)))
      .then(400)
      .and(refusedFor('add-failed'));
    const invoice = await invoiceOf(invoiceId);
    expect(invoice.orders[0].status).to.equal('ReadyToFulfill');
    const rows = invoice.payments as { amount: number; status: string }[];
    expect(rows.map(({ amount }) => amount)).to.deep.equal([17, 4.8]);
    const told = (await eventsIn(shop)).filter(({ stream }) => stream === `invoice-${invoiceId}`);
    expect(told.map(({ type }) => type)).to.include.members(['PostPurchaseChargeUndone', 'RefundPending']);
  });

  it('completes a file at once, and holds the parcel beside it', async () => {
    const song = await shop.sell('song', { price: 3, isDigital: true });
    await offering(song, cup);
    const buyer = await buyerAt(shop, song);
    await by(buyer).when(showOffer(buyer.invoiceId)).then(404);
    const songs = await offering(mug, song);
    const other = await buyerAt(shop, mug);
    await by(other)
      .when(addAfterwards(other.invoiceId, wish(other, { productId: song, upsellRuleId: songs })))
      .then(200, { amountCharged: 3.6, invoiceTotal: 20.6 })
      .and(body(({ addedLineItemId }) => expect(addedLineItemId).to.be.a('string')));
    expect((await invoiceOf(other.invoiceId)).orders[0].status).to.equal('ReadyToFulfill');
  });
});
