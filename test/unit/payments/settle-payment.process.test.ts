import { expect } from 'chai';
import type { PlacedOrder } from '#command/contexts/basket/basket.state.ts';
import { customerUsageId } from '#command/contexts/discounts/discount-usage.commands.ts';
import { settlePayment, type OpenSettlement } from '#command/contexts/payments/settle-payment.process.ts';
import { leftoversOf } from '#command/contexts/payments/settled-sale.ts';
import { isKnown, type KnownInvoice } from '#command/contexts/invoices/invoice.state.ts';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import { startedBasket } from '#events/basket-view.ts';
import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { ChargeOutcome } from '#ports/payment-requests.ts';
import { chosen, unitsWith } from '#test/support/builders/addon.ts';
import { idNamed, london } from '#test/support/builders/basket.ts';
import { invoice, twoMugs } from '#test/support/builders/invoice.ts';
import { given } from '#test/support/given.ts';
import { givenProcess } from '#test/support/given-process.ts';

const mugs = invoice('mugs');
const askId = idNamed('ask');
const attempted = invoiceEvents.create.PaymentAttempted({
  attemptId: idNamed('attempt'),
  provider: 'sandbox',
  method: 'card',
  token: 'tok_success',
  tokenHash: 'hash',
  amount: 2640,
  currency: 'GBP',
  askId,
});

const after = (...events: readonly InvoiceEvent[]): KnownInvoice =>
  given(invoiceDecider, [mugs.placed, ...events]).state(isKnown);
const asked = after(attempted);
const paid = after(mugs.captured());

/** What the basket holds that was bought, with what was added meanwhile. */
const closedBasket = (order: Partial<PlacedOrder> | null = null) => ({
  state: {
    basket: {
      destination: { countryCode: 'GB', regionCode: null, postalCode: null },
      lines: [{ productId: idNamed('tea'), quantity: 3 }],
    },
    order,
  },
});

/** Settles with this outcome of the charge, after which the invoice is as in `afterwards`; by the first who asked. */
const settling = (
  outcome: ChargeOutcome,
  changes: Partial<OpenSettlement> = {},
  afterwards: KnownInvoice = paid,
) =>
  givenProcess(
    settlePayment,
    {
      ...{ invoiceId: mugs.id, invoice: asked, revision: 1, askId, nextBasketId: null, mayOffer: false },
      ...changes,
    },
    {
      charge: outcome,
      AskAgain: { state: asked },
      CompleteBasket: closedBasket(),
      ...Object.fromEntries(
        [
          'CapturePayment',
          'AuthorizePayment',
          'AwaitOutcome',
          'SendPayerOn',
          'DeclinePayment',
          'GiveUpAttempt',
        ].map((name) => [name, { state: afterwards }]),
      ),
    },
  );

const completed: ChargeOutcome = { kind: 'completed', transactionId: 'tx' };
const sale = ['RecordCustomerSale', 'CompleteBasket', 'ConfirmSale'];

describe('settling a payment', () => {
  it('makes the claimed uses of the order final, and only its own', async () => {
    const discountId = idNamed('TEN');
    const customerId = idNamed('ada');
    const order = {
      invoiceId: mugs.id,
      placementId: idNamed('placement'),
      claimedDiscountIds: [discountId],
      customerClaims: { customerId, discountIds: [discountId] },
    };
    const { named } = await settling(completed)
      .when({ CompleteBasket: closedBasket(order) })
      .run();
    expect(named('SettleDiscountUse').map((command) => 'id' in command && command.id)).to.deep.equal([
      discountId,
      customerUsageId(discountId, customerId),
    ]);
    const other = closedBasket({ ...order, invoiceId: idNamed('other') });
    const ofOther = await settling(completed).when({ CompleteBasket: other }).run();
    expect(ofOther.named('SettleDiscountUse')).to.deep.equal([]);
  });

  it('charges, records the money, closes the basket and announces the sale last', async () => {
    await settling(completed).thenSends('charge', 'CapturePayment', ...sale);
  });

  it('tells no customer of a sale that has none', async () => {
    const invoiceOfNobody = { ...asked, content: { ...asked.content, customerId: null } };
    await settling(completed, { invoice: invoiceOfNobody }).thenSends(
      'charge',
      'CapturePayment',
      'CompleteBasket',
      'ConfirmSale',
    );
  });

  it('makes the sale of money that is set aside, and takes none of it', async () => {
    const until = '2026-03-08T09:00:00.000Z';
    const outcome = { kind: 'authorized', transactionId: 'tx', authorizedUntil: until } as const;
    const authorized = after(
      attempted,
      invoiceEvents.create.PaymentAuthorized({
        ...mugs.invoiceName,
        ...{ attemptId: attempted.data.attemptId, paymentId: idNamed('payment'), provider: 'sandbox' },
        ...{ method: 'card', transactionId: 'tx', amount: 2640, currency: 'GBP' },
        ...{ authorizedAt: '2026-03-01T09:00:00.000Z', expiresAt: until, isSale: true },
      }),
    );
    await settling(outcome, {}, authorized).thenSends(
      'charge',
      ['AuthorizePayment', { 'command.expiresAt': until }],
      ...sale,
    );
  });

  it('continues if everything was paid and nothing announced', async () => {
    await settling(completed, { invoice: paid, askId: null }).thenSends(...sale);
  });

  it('waits for a pending outcome, and sends the payer on to their bank', async () => {
    await settling({ kind: 'pending', transactionId: 'tx' }, {}, asked).thenSends('charge', 'AwaitOutcome');
    const session = {
      sessionId: 's',
      redirectUrl: '/bank',
      clientSecret: null,
      clientToken: null,
      sdkConfig: {},
    };
    await settling({ kind: 'requiresAction', transactionId: 's', session }, {}, asked).thenSends('charge', [
      'SendPayerOn',
      { 'command.redirectUrl': '/bank' },
    ]);
  });

  it('records a refusal, and nothing else', async () => {
    const refused: ChargeOutcome = { kind: 'refused', code: 'no', message: 'No.' };
    await settling(refused, {}, asked).thenSends('charge', 'DeclinePayment');
  });

  it('leaves the attempt open while the outcome is unknown', async () => {
    await settling({ kind: 'unknownOutcome' }).thenSends('charge');
  });

  it('believes "cannot be reached" only from the first who asks', async () => {
    const away = { kind: 'unavailable' } as const;
    await settling(away, {}, asked).thenSends('charge', 'GiveUpAttempt');
    await settling(away, { askId: null }).thenSends('AskAgain', 'charge');
    await settling(away, { askId: idNamed('other') }).thenSends('AskAgain', 'charge');
  });

  it('announces no sale for a part of the money', async () => {
    await settling(completed, {}, asked).thenSends('charge', 'CapturePayment');
  });

  it('carries over later additions under ids that a repeat recognises; sold-out ones stay behind', async () => {
    const nextBasketId = idNamed('next');
    const carrying = settling(completed, { nextBasketId });
    const { named } = await carrying.thenEndsWith('AddBasketLine', 'ConfirmSale');
    const soldOut = new Rejection('out-of-stock', 'Sold out.');
    const again = await carrying.when({ AddBasketLine: soldOut }).thenEndsWith('ConfirmSale');
    const [added] = named('AddBasketLine');
    expect(added).to.include({ id: nextBasketId }).and.have.property('commandId');
    expect(again.named('AddBasketLine')[0]).to.deep.equal(added);
  });

  it('recognises additions by their add-ons, too', () => {
    const content = twoMugs();
    const gold = chosen('Wrap', 'Gold');
    const lines = [
      { ...unitsWith('mug', 3, []), productId: idNamed('mug') },
      { ...unitsWith('mug', 2, [gold]), productId: idNamed('mug') },
    ];
    const goods = leftoversOf({ ...startedBasket('GBP', london), lines }, content).map(
      ({ key: _, ...rest }) => rest,
    );
    expect(goods).to.deep.equal([
      { productId: idNamed('mug'), addons: [], quantity: 1 },
      { productId: idNamed('mug'), addons: [gold], quantity: 2 },
    ]);
  });
});
