import type { CommandMeta } from '#command/engine/command-engine.ts';
import { defined } from '#kernel/defined.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { ProviderPayment } from '#ports/payment-requests.ts';
import { isKnown, type KnownInvoice } from '../../invoices/invoice.state.ts';
import { withProviderTimeout, PROVIDER_TIMEOUT_MILLISECONDS } from '#command/engine/provider-timeout.ts';
import { saveMethod, type SaveMethodDeps } from '../charging/save-method.ts';
import type { SaveFor } from '../../invoices/payments/open-attempt.state.ts';
import type { RecordAuthorization } from '../../invoices/payments/authorization.commands.ts';
import type {
  DeclineProviderPayment,
  PaymentsApi,
  ProviderPaymentRecorded,
  RecordProviderPayment,
} from '../../invoices/payments/payment.commands.ts';
import type { PaymentReferences } from '../providers/payment-references.ts';
import type { Settlement } from '../settle-payment.ts';

interface ProviderPaymentDeps extends SaveMethodDeps {
  readonly provider: (alias: string) => PaymentProvider | undefined;
  readonly settlement: Settlement;
  readonly references: Pick<PaymentReferences, 'keep' | 'bind'>;
  readonly invoiceOf: PaymentsApi['invoiceOf'];
}

const record =
  ({ settlement, references }: ProviderPaymentDeps) =>
  async (
    named: string,
    payment: Omit<RecordProviderPayment, 'type'>,
    meta: CommandMeta,
  ): Promise<ProviderPaymentRecorded> => {
    const invoiceId = await references.bind(payment.provider, payment.transactionId, named);
    const command = { type: 'RecordProviderPayment', ...payment } as const;
    const recorded = await settlement.record(invoiceId, command, meta).catch((error: unknown) => {
      if (error instanceof Rejection && error.code === 'other-currency') return null;
      throw error;
    });
    if (recorded === null)
      return { kind: 'otherCurrency', paymentId: null, isOverpayment: false, position: 0 };
    const settled = await settlement.settle(invoiceId, meta);
    const { state } = recorded;
    const made = isKnown(state)
      ? state.payments.find(
          ({ provider, transactionId }) =>
            provider === payment.provider && transactionId === payment.transactionId,
        )
      : undefined;
    return {
      kind: recorded.events.length > 0 && !recorded.isRepeat ? 'recorded' : 'known',
      paymentId: made?.paymentId ?? null,
      isOverpayment: made?.isOverpayment ?? false,
      position: Math.max(recorded.position, settled),
    };
  };

const decline =
  ({ settlement }: ProviderPaymentDeps) =>
  (invoiceId: string, declined: Omit<DeclineProviderPayment, 'type'>, meta: CommandMeta) =>
    settlement.record(invoiceId, { type: 'DeclineProviderPayment', ...declined }, meta);

/** Money that is set aside is a sale as money that is there; returns the position that the invoice reached. */
const recordAuthorization =
  ({ settlement, references }: ProviderPaymentDeps) =>
  async (
    named: string,
    authorization: Omit<RecordAuthorization, 'type'>,
    meta: CommandMeta,
  ): Promise<number> => {
    const invoiceId = await references.bind(authorization.provider, authorization.transactionId, named);
    const command = { type: 'RecordAuthorization', ...authorization } as const;
    const { position } = await settlement.record(invoiceId, command, meta);
    return Math.max(position, await settlement.settle(invoiceId, meta));
  };

/** Where a payment was found. */
interface FoundIn {
  readonly provider: string;
  readonly sessionId: string | null;
  /** For whom the method is kept that it was paid with. */
  readonly saveFor?: SaveFor | null;
}

/**
 * Saves the method of a payment reported by a callback, which does not name it: the provider is asked, but only if a
 * method is to be saved. Errors: `provider-unavailable`, so that the callback comes again.
 */
const saveMethodOf =
  (deps: ProviderPaymentDeps) =>
  async (
    { sessions, pending }: KnownInvoice,
    provider: string,
    references: readonly string[],
    meta: CommandMeta,
  ): Promise<string | null> => {
    const session = sessions.find((one) => one.provider === provider && references.includes(one.sessionId));
    const isOwed = pending?.provider === provider && references.includes(pending.transactionId);
    const saveFor = session?.saveFor ?? (isOwed ? pending.saveFor : null);
    const transactionId = session?.sessionId ?? pending?.transactionId;
    if (!saveFor || session?.status === 'paid' || transactionId === undefined) return null;
    const asked = deps.provider(provider)?.lookUp?.({ transactionId });
    const found = asked && (await withProviderTimeout(asked, PROVIDER_TIMEOUT_MILLISECONDS));
    if (found?.kind === 'unavailable' || found?.kind === 'unknownOutcome')
      throw new Rejection('provider-unavailable', 'The payment provider cannot be reached. Try again.');
    const method = found?.kind === 'found' ? found.payment.savedMethod : undefined;
    return saveMethod(deps, { provider, saveFor }, method, meta);
  };

/** Records what a provider was found to know of a payment, and returns the position that the invoice reached. */
const recordFound =
  (deps: ProviderPaymentDeps) =>
  async (
    invoiceId: string,
    { provider, sessionId, saveFor = null }: FoundIn,
    found: ProviderPayment,
    meta: CommandMeta,
  ): Promise<number> => {
    const { status, transactionId, amountMinor: amount, currency, message, risk = null } = found;
    const it = { provider, transactionId, sessionId };
    switch (status) {
      case 'completed': {
        const keptMethodId = await saveMethod(deps, { provider, saveFor }, found.savedMethod, meta);
        const told = {
          method: null,
          keptMethodId,
          amount,
          currency,
          webhookEventId: null,
          risk,
          settlement: null,
        };
        return (await record(deps)(invoiceId, { ...it, ...told }, meta)).position;
      }
      case 'authorized': {
        const keptMethodId = await saveMethod(deps, { provider, saveFor }, found.savedMethod, meta);
        const expiresAt = found.authorizedUntil ?? null;
        const more = defined({ keptMethodId: keptMethodId ?? undefined, risk: risk ?? undefined });
        return recordAuthorization(deps)(invoiceId, { ...it, amount, currency, expiresAt, ...more }, meta);
      }
      case 'pending': {
        await deps.references.keep(provider, [transactionId], invoiceId);
        const command = { type: 'AwaitProviderPayment', ...it, method: null } as const;
        return (await deps.settlement.record(invoiceId, command, meta)).position;
      }
      case 'failed':
      case 'cancelled': {
        const isCancelled = status === 'cancelled';
        const reason = message ?? (isCancelled ? 'The payment was cancelled.' : 'The payment failed.');
        return (await decline(deps)(invoiceId, { ...it, reason, isCancelled }, meta)).position;
      }
      case 'open':
        return 0;
    }
  };

/** Payments that providers report, however the shop learned of them. */
export const createProviderPayments = (deps: ProviderPaymentDeps) => ({
  invoiceOf: deps.invoiceOf,
  recordProviderPayment: record(deps),
  declineProviderPayment: decline(deps),
  recordFound: recordFound(deps),
  saveMethodOf: saveMethodOf(deps),
});

export type ProviderPayments = ReturnType<typeof createProviderPayments>;
