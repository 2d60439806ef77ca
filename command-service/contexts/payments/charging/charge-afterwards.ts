import { withProviderTimeout, PROVIDER_TIMEOUT_MILLISECONDS } from '#command/engine/provider-timeout.ts';
import { derivedId } from '#kernel/ids.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { ChargeOutcome, RefundOutcome, VoidOutcome } from '#ports/payment-requests.ts';
import { chargeAndTake } from '../providers/ask-provider.ts';
import { OWED_REASON, owedRefundId } from '../../invoices/refunds/refund-events.state.ts';
import type {
  ChargeAfterwards,
  ChargesAfterwards,
  UndoCharge,
} from '../../invoices/payments/payment.commands.ts';

interface ChargingDeps {
  /** Also one that is not offered any more: asked again, it still knows what it has charged. */
  readonly provider: (alias: string) => PaymentProvider | undefined;
  /** Where the shop's pages are; null where it does not say. */
  readonly ownAddress: string | null;
}

const patience = PROVIDER_TIMEOUT_MILLISECONDS;
const cannot = { kind: 'refused', code: 'not_supported', message: '' } as const;

const charge =
  ({ provider, ownAddress }: ChargingDeps) =>
  async ({ key, invoiceId, provider: alias, method, saved, amount, currency }: ChargeAfterwards) => {
    const asked = provider(alias);
    if (!asked) return { kind: 'unknownOutcome' } satisfies ChargeOutcome;
    return chargeAndTake(
      asked,
      {
        idempotencyKey: key,
        invoiceId,
        amountMinor: amount,
        currency,
        methodAlias: method,
        source: { saved },
        returnPage: `${ownAddress ?? ''}/api/shop/checkout/return?provider=${alias}&invoiceId=${invoiceId}`,
        saveFor: null,
        isOffSession: true,
      },
      patience,
    );
  };

const voided = async (
  asked: PaymentProvider | undefined,
  { paymentId, transactionId }: UndoCharge,
): Promise<VoidOutcome> =>
  asked?.void
    ? withProviderTimeout(
        asked.void({ idempotencyKey: derivedId('void-afterwards', paymentId), transactionId }),
        patience,
      )
    : cannot;

const refunded = async (
  asked: PaymentProvider | undefined,
  { paymentId, transactionId, amount, currency }: UndoCharge,
): Promise<RefundOutcome> => {
  if (!asked?.refund || !asked.supports.refunds) return cannot;
  const idempotencyKey = owedRefundId(paymentId);
  const request = { idempotencyKey, transactionId, amountMinor: amount, currency, reason: OWED_REASON };
  return withProviderTimeout(asked.refund(request), patience);
};

/** What is taken is given back, what is not is let go; whichever the provider does not do, the other. */
const undo =
  ({ provider }: ChargingDeps): ChargesAfterwards['undoCharge'] =>
  async (request) => {
    const asked = provider(request.provider);
    const ways = [
      { how: 'refunded', ask: refunded },
      { how: 'voided', ask: voided },
    ] as const;
    for (const { how, ask } of request.isTaken ? ways : ways.toReversed()) {
      const outcome = await ask(asked, request);
      if (outcome.kind === 'completed') return how;
      // It is on its way: the payment stands until then, and its refund is looked up as any other.
      if (outcome.kind === 'pending') return 'kept';
      if (outcome.kind !== 'refused') return null;
    }
    return 'kept';
  };

/** Charges of saved methods beside an invoice that is paid already (docs/rules/post-purchase.md#steps). */
export const createChargesAfterwards = (deps: ChargingDeps): ChargesAfterwards => ({
  chargeSaved: charge(deps),
  undoCharge: undo(deps),
});
