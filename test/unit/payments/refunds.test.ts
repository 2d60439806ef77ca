import { expect } from 'chai';
import { createRefunds } from '#command/contexts/payments/refunds/refunds.actions.ts';
import { invoiceStream } from '#command/contexts/invoices/invoice.stream.ts';
import { isKnown } from '#command/contexts/invoices/invoice.state.ts';
import { Rejection } from '#kernel/rejection.ts';
import { manualProvider } from '#adapters/payment-providers/manual-provider.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { RefundOutcome, RefundRequest } from '#ports/payment-requests.ts';
import { invoice } from '#test/support/builders/invoice.ts';
import { cardOf, placeInvoice } from '#test/support/builders/payment.ts';
import { anyMeta, startTestEngine, testStreams } from '#test/support/engine.ts';
import { holds } from '#test/support/faults.ts';

type Answer = () => Promise<RefundOutcome>;

const refused: Answer = () =>
  Promise.resolve({ kind: 'refused', code: 'closed', message: 'The card is closed.' });
const away: Answer = () => Promise.resolve({ kind: 'unavailable' });
const silent: Answer = () => Promise.reject(new Error('the line went dead'));

const mugs = invoice('mugs');

/** A shop with one paid invoice, and a provider that gives these answers one after another, else gives back. */
const openTill = async (...answers: Answer[]) => {
  /** What it says of refunds that are on their way, one after another. */
  const found: RefundOutcome[] = [];
  const lookedUp: string[] = [];
  const { engine, store, clock, another } = await startTestEngine();
  /** What the provider has given back, by key. */
  const given = new Map<string, number>();
  const asked: RefundRequest[] = [];
  const giveBack = (request: RefundRequest): Promise<RefundOutcome> => {
    given.set(request.idempotencyKey, request.amountMinor);
    return Promise.resolve({ kind: 'completed', transactionId: `back ${request.idempotencyKey}` });
  };
  const provider: PaymentProvider = {
    ...manualProvider(),
    alias: 'fake',
    supports: { ...manualProvider().supports, refunds: true, partialRefunds: true },
    refund: (request) => {
      asked.push(request);
      return answers.shift()?.() ?? giveBack(request);
    },
    lookUpRefund: ({ transactionId }) => {
      lookedUp.push(transactionId);
      return Promise.resolve(found.shift() ?? { kind: 'unknownOutcome' });
    },
  };
  const till = (commands: typeof engine) => {
    const streams = testStreams(commands, clock);
    const refunds = createRefunds({
      streams,
      provider: (alias) => (alias === 'fake' ? provider : undefined),
    });
    const load = async () => {
      const { state } = await streams.load(invoiceStream, mugs.id);
      return isKnown(state) ? state : expect.fail('the invoice is not known');
    };
    /** What staff are told: what came of it. */
    const refund = async (amount: number | null, commandId?: string): Promise<string> => {
      const [payment] = (await load()).payments;
      const wanted = { amount, reason: 'Damaged', isManual: false };
      try {
        const made = await refunds.refundByStaff(
          mugs.id,
          payment?.paymentId ?? '',
          wanted,
          anyMeta(commandId),
        );
        return made.refund.status;
      } catch (error) {
        if (error instanceof Rejection) return error.code;
        throw error;
      }
    };
    /** What the job does with a refund that is on its way. */
    const lookUp = async (): Promise<void> => {
      for (const { refundId } of (await load()).refunds) await refunds.lookUp(mugs.id, refundId, anyMeta());
    };
    return { refunds, refund, load, lookUp, streams };
  };
  const first = till(engine);
  await placeInvoice(first.streams, mugs);
  const card = { ...cardOf('fake', 'tok'), askId: 'ask' };
  await first.streams.send(invoiceStream, mugs.id, card, anyMeta());
  const attemptId = (await first.load()).openAttempt?.attemptId ?? '';
  const capture = { type: 'CapturePayment', attemptId, transactionId: 'tx' } as const;
  await first.streams.send(invoiceStream, mugs.id, capture, anyMeta());
  const refundsInLog = async (): Promise<string[]> =>
    (await store.readStream(mugs.stream)).map(({ type }) => type).filter((type) => type.includes('Refund'));
  return { ...first, asked, given, found, lookedUp, refundsInLog, store, restart: () => till(another()) };
};

const sumOf = (given: ReadonlyMap<string, number>): number => [...given.values()].reduce((a, b) => a + b, 0);

describe('giving back through a provider', () => {
  it('asks it after the attempt stands in the log, under the id of the refund', async () => {
    const till = await openTill();
    expect(await till.refund(600)).to.equal('done');
    expect(await till.refundsInLog()).to.deep.equal(['RefundAttempted', 'PaymentRefunded']);
    const [{ refundId } = { refundId: '' }] = (await till.load()).refunds;
    expect(till.asked).to.deep.equal([
      { idempotencyKey: refundId, transactionId: 'tx', amountMinor: 600, currency: 'GBP', reason: 'Damaged' },
    ]);
  });

  it('gives two at once no more than was paid', async () => {
    const till = await openTill();
    const answers = await Promise.all([till.refund(1600), till.refund(1600)]);
    expect(answers.sort()).to.deep.equal(['done', 'refund-not-possible']);
    expect(sumOf(till.given)).to.equal(1600);
  });

  it('tells staff of a no, and that a provider could not be reached; both can be tried again', async () => {
    const till = await openTill(refused, away);
    expect(await till.refund(null)).to.equal('refund-declined');
    expect(await till.refund(null)).to.equal('provider-unavailable');
    expect(await till.refund(null)).to.equal('done');
    expect(sumOf(till.given)).to.equal(2640);
  });

  it('tries again what could not be reached, when the same request comes once more', async () => {
    const till = await openTill(away, away);
    const key = 'a key';
    expect(await till.refund(600, key)).to.equal('provider-unavailable');
    expect(await till.refund(600, key)).to.equal('provider-unavailable');
    expect(await till.refund(600, key)).to.equal('done');
    expect(await till.refund(600, key)).to.equal('done');
    expect(sumOf(till.given)).to.equal(600);
  });

  it('leaves a lost answer open, and asks again with the same key until there is one', async () => {
    const till = await openTill(silent, away, silent);
    expect(await till.refund(600)).to.equal('underWay');
    await till.refunds.resume(mugs.id, anyMeta());
    await till.refunds.resume(mugs.id, anyMeta());
    expect((await till.load()).balance.amountRefunded).to.equal(0);
    await till.refunds.resume(mugs.id, anyMeta());
    expect(new Set(till.asked.map(({ idempotencyKey }) => idempotencyKey)).size).to.equal(1);
    expect(await till.refundsInLog()).to.deep.equal([
      'RefundAttempted',
      'RefundAskedAgain',
      'PaymentRefunded',
    ]);
    expect(sumOf(till.given)).to.equal(600);
  });

  const onItsWay: Answer = () => Promise.resolve({ kind: 'pending', transactionId: 'r1' });

  it('looks up what the provider has taken on, and never asks for it again', async () => {
    const till = await openTill(onItsWay);
    expect(await till.refund(600)).to.equal('underWay');
    expect((await till.load()).balance.amountRefunded).to.equal(0);
    const next = till.restart();
    till.found.push(
      { kind: 'pending', transactionId: 'r1' },
      { kind: 'unavailable' },
      { kind: 'unknownOutcome' },
      { kind: 'completed', transactionId: 'r1' },
    );
    for (let times = 0; times < 5; times++) await next.lookUp();
    expect(till.asked).to.have.length(1);
    expect(till.lookedUp).to.deep.equal(['r1', 'r1', 'r1', 'r1']);
    expect(await till.refundsInLog()).to.deep.equal(['RefundAttempted', 'RefundPending', 'PaymentRefunded']);
    expect((await next.load()).balance.amountRefunded).to.equal(600);
  });

  it('tells who asks again that what was on its way has failed', async () => {
    const till = await openTill(onItsWay);
    expect(await till.refund(600, 'a key')).to.equal('underWay');
    till.found.push({ kind: 'refused', code: 'failed', message: 'The refund has failed.' });
    await till.lookUp();
    expect(await till.refund(600, 'a key')).to.equal('refund-declined');
    expect(await till.refundsInLog()).to.deep.equal(['RefundAttempted', 'RefundPending', 'RefundDeclined']);
  });

  for (const when of ['before', 'after'] as const) {
    it(`asks once more under its key, or looks up, when the shop is killed ${when} RefundPending`, async () => {
      const till = await openTill(onItsWay, onItsWay);
      till.store.failAppend(when, holds('RefundPending'));
      await till.refund(600).catch(() => null);
      const next = till.restart();
      till.found.push({ kind: 'completed', transactionId: 'r1' });
      await next.refunds.resume(mugs.id, anyMeta());
      await next.lookUp();
      expect(new Set(till.asked.map(({ idempotencyKey }) => idempotencyKey)).size).to.equal(1);
      expect((await next.load()).balance.amountRefunded).to.equal(600);
    });
  }

  for (const type of ['RefundAttempted', 'PaymentRefunded']) {
    for (const when of ['before', 'after'] as const) {
      it(`gives back at most once when the shop is killed ${when} ${type}`, async () => {
        const till = await openTill();
        till.store.failAppend(when, holds(type));
        await till.refund(600).catch(() => null);
        const next = till.restart();
        await next.refunds.resume(mugs.id, anyMeta());
        const { refunds, balance } = await next.load();
        expect(refunds.every(({ status }) => status === 'done')).to.equal(true);
        expect(balance.amountRefunded).to.equal(sumOf(till.given));
        expect(sumOf(till.given)).to.be.oneOf([0, 600]);
      });
    }
  }
});
