import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { RefundOutcome, RefundRequest } from '#ports/payment-requests.ts';
import { refuseAmount, toStripe } from './stripe-amounts.ts';
import { isAskedOtherwise, isDisputed, notDone, refundOutcome } from './stripe-outcomes.ts';
import type { StripeAccount } from './stripe-vault.ts';

/** The refund that was asked for under this key in other words. */
const refundUnder = async (
  { client }: StripeAccount,
  { idempotencyKey, transactionId }: RefundRequest,
): Promise<RefundOutcome> => {
  const { data } = await client.refunds.list({ payment_intent: transactionId, limit: 100 });
  const made = data.find(({ metadata }) => metadata?.['refundId'] === idempotencyKey);
  return made ? refundOutcome(made) : { kind: 'unknownOutcome' };
};

/** The bank decides about that money now (https://docs.stripe.com/error-codes#charge-disputed). */
const disputed: RefundOutcome = {
  kind: 'refused',
  code: 'charge_disputed',
  message: 'The payer disputes this payment with their bank. Answer the dispute at Stripe instead.',
};

export const refund =
  (account: () => StripeAccount): NonNullable<PaymentProvider['refund']> =>
  async (request) => {
    const { idempotencyKey, transactionId, amountMinor, currency, reason } = request;
    const refused = refuseAmount(amountMinor, currency);
    if (refused) return refused;
    try {
      const { client } = account();
      const made = await client.refunds.create(
        {
          payment_intent: transactionId,
          amount: toStripe(amountMinor, currency),
          reason: 'requested_by_customer',
          metadata: { refundId: idempotencyKey, reason: reason.slice(0, 500) },
        },
        { idempotencyKey },
      );
      return refundOutcome(made);
    } catch (error) {
      if (isDisputed(error)) return disputed;
      if (!isAskedOtherwise(error)) return notDone(error);
      return refundUnder(account(), request).catch(() => ({ kind: 'unknownOutcome' }));
    }
  };

/** Only Stripe's word for it ends a refund: what it does not find, or refuses to show, stays as it is. */
export const lookUpRefund =
  (account: () => StripeAccount): NonNullable<PaymentProvider['lookUpRefund']> =>
  async ({ transactionId }) => {
    try {
      return refundOutcome(await account().client.refunds.retrieve(transactionId));
    } catch (error) {
      const failed = notDone(error);
      return failed.kind === 'refused' ? { kind: 'unknownOutcome' } : failed;
    }
  };
