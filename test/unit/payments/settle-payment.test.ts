import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { createChargeInvoice } from '#command/contexts/payments/charging/charge-invoice.ts';
import { outcomeOf } from '#command/contexts/payments/charging/payment-outcome.ts';
import { createSettlement } from '#command/contexts/payments/settle-payment.ts';
import { isKnown } from '#command/contexts/invoices/invoice.state.ts';
import { Rejection } from '#kernel/rejection.ts';
import { START } from '#ports/event-store.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { ChargeOutcome, ChargeRequest } from '#ports/payment-requests.ts';
import { manualProvider } from '#adapters/payment-providers/manual-provider.ts';
import { invoice } from '#test/support/builders/invoice.ts';
import { cardOf, noReferences, placeInvoice, tokenOf } from '#test/support/builders/payment.ts';
import { anyMeta, startTestEngine, testStreams } from '#test/support/engine.ts';
import { holds } from '#test/support/faults.ts';

type Answer = () => Promise<ChargeOutcome>;

const completed: Answer = () => Promise.resolve({ kind: 'completed', transactionId: 'tx' });
const refused: Answer = () => Promise.resolve({ kind: 'refused', code: 'no', message: 'No.' });
const away: Answer = () => Promise.resolve({ kind: 'unavailable' });
const silent: Answer = () => Promise.reject(new Error('the line went dead'));

const mugs = invoice('mugs');
const withCard = (token: string) => cardOf('fake', token);

/** A shop with one unpaid invoice, and a provider that gives these answers one after another. */
const openTill = async (...answers: Answer[]) => {
  const { engine, store, clock, another } = await startTestEngine();
  const asked: ChargeRequest[] = [];
  const provider: PaymentProvider = {
    ...manualProvider(),
    alias: 'fake',
    charge: (request) => {
      asked.push(request);
      return (answers.shift() ?? completed)();
    },
  };
  const till = (commands: typeof engine) => {
    const streams = testStreams(commands, clock);
    const settlement = createSettlement({
      streams,
      keyedHash: (kind, value) => `${kind} ${value}`,
      references: noReferences,
      provider: (alias) => (alias === 'fake' ? provider : undefined),
    });
    const charge = createChargeInvoice(settlement);
    /** What the shopper is told. */
    const pay = async (token: string, commandId?: string): Promise<string> => {
      try {
        const { attemptId } = await charge(mugs.id, withCard(token), anyMeta(commandId));
        const state = await settlement.load(mugs.id);
        if (!isKnown(state)) return 'no invoice';
        return outcomeOf(state, attemptId).kind;
      } catch (error) {
        if (error instanceof Rejection) return error.code;
        throw error;
      }
    };
    return { settlement, pay, streams };
  };
  const first = till(engine);
  await placeInvoice(first.streams, mugs);
  const events = async (): Promise<string[]> => (await store.readStream(mugs.stream)).map(({ type }) => type);
  return { ...first, asked, events, store, restart: () => till(another()) };
};

describe('settling the payments of an invoice', () => {
  it('takes a card from the attempt to the announced sale', async () => {
    const till = await openTill(completed);
    expect(await till.pay('tok')).to.equal('completed');
    expect(till.asked).to.have.length(1);
    expect(till.asked[0]).to.deep.include({
      amountMinor: 2640,
      currency: 'GBP',
      source: { token: 'tok' },
      invoiceId: mugs.id,
    });
    expect(await till.events()).to.deep.equal([
      'InvoiceCreated',
      'PaymentAttempted',
      'PaymentCaptured',
      'OrderStatusChanged',
      'SaleConfirmed',
    ]);
    const types = (await till.store.readAll(START)).map(({ type }) => type);
    expect(types.indexOf('CustomerSaleRecorded')).to.be.within(0, types.indexOf('SaleConfirmed'));
  });

  it('charges a double click once and answers both alike, a third one later too', async () => {
    const till = await openTill();
    const answers = await Promise.all([till.pay('tok'), till.pay('tok')]);
    expect([...answers, await till.pay('tok')]).to.deep.equal(['completed', 'completed', 'completed']);
    expect(till.asked).to.have.length(1);
  });

  it('tells another card that the invoice has been paid', async () => {
    const till = await openTill();
    await till.pay('tok');
    expect(await till.pay('other')).to.equal('invoice-already-paid');
  });

  it('charges what was tried while an earlier no was being recorded', async () => {
    const till = await openTill(refused, completed);
    let second: Promise<string> = Promise.resolve('was not tried');
    till.store.runBefore('append', holds('PaymentDeclined'), () => {
      second = till.pay('second');
    });
    expect(await till.pay('first')).to.equal('declined');
    expect(await second).to.equal('completed');
    expect(till.asked.map(tokenOf)).to.deep.equal(['first', 'second']);
  });

  it('charges what another process had recorded while this one was still waiting for its provider', async () => {
    let second: Promise<string> = Promise.resolve('was not tried');
    const till = await openTill(async () => {
      const attemptId = till.asked[0]?.idempotencyKey ?? '';
      await till.settlement.record(
        mugs.id,
        { type: 'DeclinePayment', attemptId, code: 'no', message: 'No.' },
        anyMeta(),
      );
      await till.settlement.record(mugs.id, withCard('second'), anyMeta());
      second = till.pay('second');
      await turn();
      return { kind: 'refused', code: 'no', message: 'No.' };
    }, completed);
    expect(await till.pay('first')).to.equal('declined');
    expect(await second).to.equal('completed');
    expect(till.asked.map(tokenOf)).to.deep.equal(['first', 'second']);
  });

  it('uses a new key after a no', async () => {
    const till = await openTill(refused, completed);
    expect([await till.pay('tok'), await till.pay('tok')]).to.deep.equal(['declined', 'completed']);
    const [one, other] = till.asked.map(({ idempotencyKey }) => idempotencyKey);
    expect(one).to.not.equal(other);
  });

  it('keeps an attempt open when the answer is lost, and asks again with the same key', async () => {
    const till = await openTill(silent, completed);
    expect(await till.pay('tok')).to.equal('pending');
    expect(await till.pay('other')).to.equal('payment-unknown');
    await till.settlement.settle(mugs.id, anyMeta());
    const [one, other] = till.asked.map(({ idempotencyKey }) => idempotencyKey);
    expect(one).to.equal(other);
    expect((await till.events()).filter((type) => type === 'PaymentCaptured')).to.have.length(1);
  });

  it('says that the provider cannot be reached, and tries again under the same idempotency key', async () => {
    const till = await openTill(away, completed);
    const commandId = '00000000-0000-5000-8000-000000000001';
    expect(await till.pay('tok', commandId)).to.equal('notAttempted');
    expect(await till.pay('tok', commandId)).to.equal('completed');
    expect(await till.pay('tok', commandId)).to.equal('completed');
    expect(till.asked).to.have.length(2);
  });

  it('does not take "cannot be reached" for "not charged" once the provider may have been asked', async () => {
    const till = await openTill(silent, away, completed);
    await till.pay('tok');
    await till.settlement.settle(mugs.id, anyMeta());
    expect(await till.events()).to.not.include('PaymentNotAttempted');
    await till.settlement.settle(mugs.id, anyMeta());
    expect((await till.events()).filter((type) => type === 'PaymentAskedAgain')).to.have.length(1);
    expect((await till.events()).at(-1)).to.equal('SaleConfirmed');
  });

  it('is taken up by the next process where the last one died', async () => {
    const till = await openTill(completed);
    await till.settlement.record(mugs.id, withCard('tok'), anyMeta());
    await till.restart().settlement.settle(mugs.id, anyMeta());
    expect((await till.events()).filter((type) => type === 'PaymentCaptured')).to.have.length(1);
    expect((await till.events()).at(-1)).to.equal('SaleConfirmed');
  });
});
