import { expect } from 'chai';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import { createPaymentReturns } from '#command/contexts/payments/sessions/payment-return.ts';
import { invoiceEvents } from '#events/invoice.events.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { FoundPayment } from '#ports/payment-requests.ts';
import { Rejection } from '#kernel/rejection.ts';
import { invoiceBalance } from '#values/invoice-balance.ts';
import { invoice } from '#test/support/builders/invoice.ts';
import { given } from '#test/support/given.ts';

const mugs = invoice('mugs');
const sessionId = 'session';
const opened = invoiceEvents.create.PaymentSessionOpened({
  ...{ sessionId, provider: 'slow', method: 'redirect', kind: 'redirect', amount: 2640, currency: 'GBP' },
  ...{
    ...mugs.invoiceName,
    balance: invoiceBalance(2640, 0, 0),
    returnUrl: null,
    cancelUrl: null,
    openedAt: '2026-03-02T09:00:00.000Z',
  },
});
const meta = { correlationId: 'c', causationId: 'c', actor: { kind: 'visitor', id: null } } as const;

/** Gives a session up at a provider that answers so; what was recorded of it. */
const givenUpWith = async (answers: Pick<PaymentProvider, 'void' | 'lookUp'>) => {
  const recorded: string[] = [];
  const record = (what: string) => () => {
    recorded.push(what);
    return Promise.resolve({ position: 1 });
  };
  const { giveUp } = createPaymentReturns({
    keyedHash: (text: string) => text,
    settlement: { load: () => Promise.resolve(given(invoiceDecider, [mugs.placed, opened]).state()) },
    invoiceOf: () => Promise.resolve(mugs.id),
    providers: [{ alias: 'slow', ...answers }],
    payments: {
      recordProviderPayment: record('paid'),
      declineProviderPayment: record('closed'),
      recordFound: (_: string, __: object, { status }: { readonly status: string }) => {
        recorded.push(status);
        return Promise.resolve(1);
      },
    },
  } as unknown as Parameters<typeof createPaymentReturns>[0]);
  const problem = await giveUp(null, { sessionId, parameters: {} }, meta).then(
    () => null,
    (error: { readonly code?: string }) => error.code ?? String(error),
  );
  return { problem, recorded };
};

const found = (status: 'open' | 'pending'): FoundPayment => ({
  kind: 'found',
  payment: {
    ...{ status, transactionId: sessionId, invoiceId: mugs.id, basketId: null },
    ...{ amountMinor: 2640, currency: 'GBP', message: null },
  },
});
const refused = () => Promise.resolve({ kind: 'refused', code: 'busy', message: 'Not now.' } as const);

describe('a payment that is given up', () => {
  it('stays open while its provider is away: 503, and nothing is recorded', async () => {
    const gone = () => Promise.reject(new Error('away'));
    for (const lookUp of [gone, () => Promise.resolve(found('open'))])
      expect(await givenUpWith({ void: gone, lookUp })).to.deep.equal({
        problem: 'provider-unavailable',
        recorded: [],
      });
  });

  it('is waited for while its provider still works on it', async () => {
    const lookUp = () => Promise.resolve(found('pending'));
    const pending = { problem: null, recorded: ['pending'] };
    expect(await givenUpWith({ void: refused, lookUp })).to.deep.equal(pending);
  });
});

describe('a payer who comes back with what the shop does not know', () => {
  /** Two providers: what the first says of it; the second does not know it. */
  const cameBack = async (first: () => Promise<string | null>) => {
    const { completeReturn } = createPaymentReturns({
      keyedHash: (text: string) => text,
      settlement: { load: () => Promise.resolve(given(invoiceDecider, [mugs.placed]).state()) },
      invoiceOf: (alias: string) => (alias === 'first' ? first() : Promise.resolve(null)),
      providers: [{ alias: 'first' }, { alias: 'second' }],
    } as unknown as Parameters<typeof createPaymentReturns>[0]);
    return completeReturn(null, { sessionId, parameters: {} }, meta).catch(
      (error: { readonly code?: string }) => error.code ?? String(error),
    );
  };
  const away = () => Promise.reject(new Rejection('provider-unavailable', 'Away.'));

  it('is told to come again while a provider cannot say whether it is its own', async () => {
    expect(await cameBack(away)).to.equal('provider-unavailable');
    expect(await cameBack(() => Promise.resolve(null))).to.equal('payment-not-found');
  });
});
