import { derivedId } from '#kernel/ids.ts';
import type { ChargeOutcome, PaymentProvider } from '#ports/payment-provider.ts';

type Authorized = Extract<ChargeOutcome, { readonly transactionId: string; readonly risk?: unknown }>;

/**
 * The same provider, which captures at once what it has merely authorised: the shop has no later moment for it. Asked
 * again with the same key, it goes on where it stood.
 */
export const chargingWhole = (provider: PaymentProvider): PaymentProvider => {
  const { charge, capture, void: undo } = provider;
  if (!charge || !capture) return provider;
  const captureNow = async (
    authorized: Authorized,
    { idempotencyKey: key, amountMinor, currency }: Parameters<typeof charge>[0],
  ): Promise<ChargeOutcome> => {
    const { transactionId } = authorized;
    const idempotencyKey = derivedId('capture', key);
    const captured = await capture({ idempotencyKey, transactionId, amountMinor, currency });
    switch (captured.kind) {
      case 'completed':
        return { ...authorized, kind: 'completed', transactionId: captured.transactionId };
      case 'refused':
        await undo?.({ idempotencyKey: derivedId('void', key), transactionId });
        return captured;
      default:
        // The money is held: nobody may take that for "nothing happened".
        return { kind: 'unknownOutcome' };
    }
  };
  return {
    ...provider,
    charge: async (request) => {
      const outcome = await charge(request);
      return outcome.kind === 'authorized' ? captureNow(outcome, request) : outcome;
    },
  };
};
