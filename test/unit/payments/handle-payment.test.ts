import { expect } from 'chai';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import { isKnown } from '#command/contexts/invoices/invoice.state.ts';
import type { RouteCallbackDeps } from '#command/contexts/payments/callbacks/handle-callback.ts';
import { authorized } from '#command/contexts/payments/callbacks/handle-payment.ts';
import type { PaymentCallback } from '#ports/payment-callback.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { decidedAt, invoice } from '#test/support/builders/invoice.ts';
import { cardOf } from '#test/support/builders/payment.ts';
import { anyMeta } from '#test/support/engine.ts';
import { given, inContext } from '#test/support/given.ts';

const mugs = invoice('mugs');
const rules = inContext(invoiceDecider, decidedAt('2026-03-01T09:05:00.000Z', { invoiceId: mugs.id }));
const saveFor = { customerId: idNamed('ada'), setAsDefault: false, ipAddress: null };
const attempted = given(rules, [mugs.placed]).after({
  ...cardOf('stripe', 'pm_1'),
  askId: idNamed('ask'),
  saveFor,
});
const { openAttempt } = attempted.state(isKnown);
/** The outcome of a card that its owner wants to save is pending. */
const waiting = attempted
  .after({
    type: 'AwaitOutcome',
    attemptId: openAttempt?.attemptId ?? expect.fail('nothing was attempted'),
    transactionId: 'pi_1',
  })
  .state(isKnown);

/** For whom the method is kept of an authorisation that a provider tells of. */
const keptFor = async (alias: string, transactionId: string) => {
  const kept: unknown[] = [];
  const payment = { status: 'authorized', transactionId, amountMinor: 2640, currency: 'GBP' };
  const deps = {
    provider: () => ({ lookUp: () => Promise.resolve({ kind: 'found', payment }) }),
    payments: {
      recordFound: (_: string, of: { readonly saveFor: unknown }) => {
        kept.push(of.saveFor);
        return Promise.resolve(1);
      },
    },
  } as unknown as RouteCallbackDeps;
  const event = { eventId: 'evt', type: 'PaymentAuthorized', transactionId, sessionId: transactionId };
  const found = { found: { invoiceId: mugs.id, invoice: waiting }, isToBeOrdered: false };
  const told = { ...event, currency: null } as unknown as PaymentCallback;
  await authorized(deps, () => Promise.resolve(found), { alias, event: told, meta: anyMeta() });
  return kept;
};

// docs/rules/saved-methods.md#saving-with-a-session
describe('a provider that tells of an authorisation', () => {
  it('has its method saved where that was wished for this payment, and no other', async () => {
    expect(await keptFor('stripe', 'pi_1')).to.deep.equal([saveFor]);
    expect(await keptFor('stripe', 'pi_2')).to.deep.equal([null]);
    expect(await keptFor('sandbox', 'pi_1')).to.deep.equal([null]);
  });
});
