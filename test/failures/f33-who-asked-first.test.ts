import { expect } from 'chai';
import { isKnown, type KnownInvoice } from '#command/contexts/invoices/invoice.state.ts';
import { createChargeInvoice } from '#command/contexts/payments/charging/charge-invoice.ts';
import { createSettlement } from '#command/contexts/payments/settle-payment.ts';
import { manualProvider } from '#adapters/payment-providers/manual-provider.ts';
import type { CommandEngine } from '#command/engine/command-engine.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { ChargeOutcome, ChargeRequest } from '#ports/payment-requests.ts';
import { invoice } from '#test/support/builders/invoice.ts';
import { cardOf, noReferences, placeInvoice, tokenOf } from '#test/support/builders/payment.ts';
import { anyMeta, startTestEngine, testStreams } from '#test/support/engine.ts';
import { holds } from '#test/support/faults.ts';

const mugs = invoice('mugs');
const card = (token: string) => cardOf('bank', token);

type Line = (charge: () => ChargeOutcome) => Promise<ChargeOutcome>;

const away: Line = () => Promise.resolve({ kind: 'unavailable' });
const works: Line = (charge) => Promise.resolve(charge());
/** The charge is made, and nobody hears of it. */
const answerLost: Line = (charge) => {
  charge();
  return Promise.reject(new Error('the line went dead'));
};

/** Two command processes on one log, without a lease between them, and a provider that knows its keys. */
const openTwoTills = async () => {
  const { store, clock, another } = await startTestEngine();
  const shared = { ...store, isOnlyWriter: false };
  const charges = new Map<string, string>();
  const till = (commands: CommandEngine) => {
    const streams = testStreams(commands, clock);
    const lines: Line[] = [];
    const charge = (request: ChargeRequest): Promise<ChargeOutcome> =>
      (lines.shift() ?? works)(() => {
        charges.set(request.idempotencyKey, tokenOf(request));
        return { kind: 'completed', transactionId: request.idempotencyKey };
      });
    const settlement = createSettlement({
      streams,
      keyedHash: (kind, value) => `${kind} ${value}`,
      references: noReferences,
      provider: () => ({ ...manualProvider(), alias: 'bank', charge }),
    });
    const chargeInvoice = createChargeInvoice(settlement);
    return {
      streams,
      /** How its next asks end; those that are not named work. */
      line: (...next: Line[]) => lines.push(...next),
      record: () => settlement.record(mugs.id, card('tok'), anyMeta()),
      settle: () => settlement.settle(mugs.id, anyMeta()),
      pay: (token: string) => chargeInvoice(mugs.id, card(token), anyMeta()),
      invoice: async (): Promise<KnownInvoice> => {
        const state = await settlement.load(mugs.id);
        return isKnown(state) ? state : expect.fail('the invoice is not known');
      },
    };
  };
  const [a, b] = [till(another({ store: shared })), till(another({ store: shared }))];
  await placeInvoice(a.streams, mugs);
  const events = async (): Promise<string[]> => (await store.readStream(mugs.stream)).map(({ type }) => type);
  return { a, b, store, charges, events };
};

type Tills = Awaited<ReturnType<typeof openTwoTills>>;

/** The attempt is as open as ever, for one charge: another card is told to wait, and the answer comes in the end. */
const expectOneCharge = async ({ a, b, charges, events }: Tills): Promise<void> => {
  expect(charges.size).to.equal(1);
  expect(await events()).to.not.include('PaymentNotAttempted');
  expect((await a.invoice()).openAttempt).to.not.be.null;
  const refusal = await a.pay('another card').catch((error: unknown) => error);
  expect(refusal).to.be.instanceOf(Rejection).with.property('code', 'payment-unknown');

  await b.settle();
  const { payments, balance } = await a.invoice();
  expect(charges.size).to.equal(1);
  expect([payments.length, balance.paymentStatus]).to.deep.equal([1, 'Paid']);
  expect((await events()).at(-1)).to.equal('SaleConfirmed');
};

describe('F33: two command processes, and the question of who asked first', () => {
  it('keeps an attempt open that one recorded, another charged, and the first finds its provider away', async () => {
    const shop = await openTwoTills();
    await shop.a.record();
    shop.b.line(answerLost);
    await shop.b.settle();
    shop.a.line(away);
    await shop.a.settle();
    await expectOneCharge(shop);
  });

  it('keeps it open while the first is told "away" at the very moment when the other is charged', async () => {
    const shop = await openTwoTills();
    shop.b.line(answerLost);
    shop.a.line(async () => {
      await shop.b.settle();
      return { kind: 'unavailable' };
    });
    await shop.a.pay('tok');
    await expectOneCharge(shop);
  });

  it('asks nobody about an attempt that the first ends at that moment, and lets the next one be charged', async () => {
    const { a, b, store, charges, events } = await openTwoTills();
    await a.record();
    a.line(away);
    store.runBefore('append', holds('PaymentAskedAgain'), async () => void (await a.settle()));
    await b.settle();
    expect(charges.size).to.equal(0);
    expect((await events()).at(-1)).to.equal('PaymentNotAttempted');
    await b.pay('tok');
    expect(charges.size).to.equal(1);
    expect((await a.invoice()).balance.paymentStatus).to.equal('Paid');
  });

  it('appends nothing for it to a purchase in which one process asks once', async () => {
    const { a, events } = await openTwoTills();
    await a.pay('tok');
    expect(await events()).to.deep.equal([
      'InvoiceCreated',
      'PaymentAttempted',
      'PaymentCaptured',
      'OrderStatusChanged',
      'SaleConfirmed',
    ]);
  });
});
