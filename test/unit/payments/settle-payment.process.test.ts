import { expect } from 'chai';
import type { PlacedOrder } from '#command/contexts/basket/basket.state.ts';
import { customerUsageId } from '#command/contexts/discounts/discount-usage.commands.ts';
import { settlePayment, type OpenSettlement } from '#command/contexts/payments/settle-payment.process.ts';
import { leftoversOf } from '#command/contexts/payments/settled-sale.ts';
import { isKnown, type KnownInvoice } from '#command/contexts/invoices/invoice.state.ts';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import { runSteps } from '#command/engine/run-process.ts';
import { startedBasket } from '#events/basket-view.ts';
import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import type { ProcessCommand } from '#kernel/process.ts';
import { fold } from '#kernel/decider.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { ChargeOutcome } from '#ports/payment-requests.ts';
import { chosen, unitsWith } from '#test/support/builders/addon.ts';
import { idNamed, london } from '#test/support/builders/basket.ts';
import { invoice, twoMugs } from '#test/support/builders/invoice.ts';

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

const after = (...events: readonly InvoiceEvent[]): KnownInvoice => {
  const state = fold(invoiceDecider, [mugs.placed, ...events]);
  return isKnown(state) ? state : expect.fail('the invoice is not known');
};
const asked = after(attempted);
const paid = after(mugs.captured());

const nameOf = (ask: ProcessCommand): string => ('call' in ask ? ask.call : ask.command.type);

/** Settles with a provider that says this; the first ask is this driver's, unless it has none. */
const settle = async (
  outcome: ChargeOutcome,
  changes: Partial<OpenSettlement> = {},
  afterwards: KnownInvoice = paid,
  refused: string | null = null,
  order: Partial<PlacedOrder> | null = null,
) => {
  const asks: ProcessCommand[] = [];
  const before = {
    invoiceId: mugs.id,
    invoice: asked,
    revision: 1,
    askId,
    nextBasketId: null,
    mayOffer: false,
  };
  const open: OpenSettlement = { ...before, ...changes };
  await runSteps(settlePayment, open, (ask) => {
    asks.push(ask);
    const name = nameOf(ask);
    if (name === refused) return Promise.reject(new Rejection('out-of-stock', 'Sold out.'));
    if (name === 'charge') return Promise.resolve(outcome);
    if (name === 'RecordCustomerSale')
      return Promise.resolve({
        state: { status: 'known', sales: { [mugs.id]: { previousSaleDay: '2026-02-01' } } },
      });
    if (name === 'CompleteBasket')
      return Promise.resolve({
        state: {
          basket: {
            destination: { countryCode: 'GB', regionCode: null, postalCode: null },
            lines: [{ productId: idNamed('tea'), quantity: 3 }],
          },
          order,
        },
      });
    return Promise.resolve({ state: name === 'AskAgain' ? asked : afterwards });
  });
  return { asks, names: asks.map(nameOf) };
};

const completed: ChargeOutcome = { kind: 'completed', transactionId: 'tx' };
const sale = ['RecordCustomerSale', 'CompleteBasket', 'ConfirmSale'];

describe('settling a payment', () => {
  it('counts the uses that the order has claimed for good, and only its own', async () => {
    const discountId = idNamed('TEN');
    const customerId = idNamed('ada');
    const order = {
      invoiceId: mugs.id,
      placementId: idNamed('placement'),
      claimedDiscountIds: [discountId],
      customerClaims: { customerId, discountIds: [discountId] },
    };
    const { asks } = await settle(completed, {}, paid, null, order);
    const settled = asks.flatMap((ask) =>
      'id' in ask && nameOf(ask) === 'SettleDiscountUse' ? [ask.id] : [],
    );
    expect(settled).to.deep.equal([discountId, customerUsageId(discountId, customerId)]);
    const other = await settle(completed, {}, paid, null, { ...order, invoiceId: idNamed('other') });
    expect(other.names).to.not.include('SettleDiscountUse');
  });

  it('charges, records the money, closes the basket and announces the sale last', async () => {
    const { names, asks } = await settle(completed);
    expect(names).to.deep.equal(['charge', 'CapturePayment', ...sale]);
    expect(asks.at(-1)).to.have.nested.property('command.previousSaleDay', '2026-02-01');
  });

  it('goes on where everything was paid and nothing announced', async () => {
    expect((await settle(completed, { invoice: paid, askId: null })).names).to.deep.equal(sale);
  });

  it('waits for an outcome that the provider owes, and sends the payer on to their bank', async () => {
    const owed = await settle({ kind: 'pending', transactionId: 'tx' }, {}, asked);
    expect(owed.names).to.deep.equal(['charge', 'AwaitOutcome']);
    const session = {
      sessionId: 's',
      redirectUrl: '/bank',
      clientSecret: null,
      clientToken: null,
      sdkConfig: {},
    };
    const further = await settle({ kind: 'requiresAction', transactionId: 's', session }, {}, asked);
    expect(further.names).to.deep.equal(['charge', 'SendPayerOn']);
    expect(further.asks.at(-1)).to.have.nested.property('command.redirectUrl', '/bank');
  });

  it('records a no, and nothing else', async () => {
    const { names } = await settle({ kind: 'refused', code: 'no', message: 'No.' }, {}, asked);
    expect(names).to.deep.equal(['charge', 'DeclinePayment']);
  });

  it('leaves the attempt open while the outcome is unknown', async () => {
    expect((await settle({ kind: 'unknownOutcome' })).names).to.deep.equal(['charge']);
  });

  it('believes "cannot be reached" only of the first who asks', async () => {
    const away = { kind: 'unavailable' } as const;
    expect((await settle(away, {}, asked)).names).to.deep.equal(['charge', 'GiveUpAttempt']);
    expect((await settle(away, { askId: null })).names).to.deep.equal(['AskAgain', 'charge']);
    expect((await settle(away, { askId: idNamed('other') })).names).to.deep.equal(['AskAgain', 'charge']);
  });

  it('announces no sale for a part of the money', async () => {
    expect((await settle(completed, {}, asked)).names).to.deep.equal(['charge', 'CapturePayment']);
  });

  it('carries over what was added meanwhile, to be recognised in a repeat; what is sold out stays behind', async () => {
    const nextBasketId = idNamed('next');
    const { names, asks } = await settle(completed, { nextBasketId });
    expect(names.slice(-2)).to.deep.equal(['AddBasketLine', 'ConfirmSale']);
    const again = await settle(completed, { nextBasketId }, paid, 'AddBasketLine');
    expect(again.names.at(-1)).to.equal('ConfirmSale');
    const idOf = (all: readonly ProcessCommand[]) =>
      all.find((ask) => 'id' in ask && ask.id === nextBasketId);
    expect(idOf(asks)).to.deep.equal(idOf(again.asks));
    expect(idOf(asks)).to.have.property('commandId');
  });

  it('tells what was added by its add-ons, too', () => {
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
