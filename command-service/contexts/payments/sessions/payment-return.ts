import type { CommandMeta } from '#command/engine/command-engine.ts';
import { withProviderTimeout, PROVIDER_TIMEOUT_MILLISECONDS } from '#command/engine/provider-timeout.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { FoundPayment } from '#ports/payment-requests.ts';
import { isKnown, type KnownInvoice } from '../../invoices/invoice.state.ts';
import type { PaymentSession } from '../../invoices/payments/payment-sessions.state.ts';
import { vaultCustomerOf, type SaveMethodDeps } from '../charging/save-method.ts';
import type { SaveFor } from '../../invoices/payments/open-attempt.state.ts';
import { settledPayment } from '../providers/ask-provider.ts';
import { isBuyer, ownInvoice, paidInvoice, type OwnInvoiceDeps, type Paid } from '../charging/own-invoice.ts';
import { foundOutcome, hasBought, type KnownOutcome } from '../charging/payment-outcome.ts';
import type { PaymentsApi } from '../../invoices/payments/payment.commands.ts';
import type { ProviderPayments } from '../callbacks/provider-payments.actions.ts';
import { voidSessionBy } from './void-sessions.ts';

/** What a payer's browser brings back from a provider. */
export interface PaymentReturn {
  readonly provider?: string | undefined;
  readonly invoiceId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly transactionId?: string | undefined;
  /** Before a provider is asked for what the shop does not know; may refuse. */
  readonly toAskUnknown?: () => Promise<void>;
  /** For whom the method is kept, as the payer says now. */
  readonly saveFor?: SaveFor | null;
  /** Everything that came, for the provider. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** What is known of a payment now, and where the shopper goes on. */
export interface PaymentReturnResult {
  readonly outcome: KnownOutcome;
  readonly session: PaymentSession | null;
  readonly paid: Paid;
  /** Only the owner gets a buyer's cookies. */
  readonly isOwner: boolean;
}

interface PaymentReturnDeps extends OwnInvoiceDeps {
  readonly providers: readonly PaymentProvider[];
  readonly payments: ProviderPayments;
  readonly invoiceOf: PaymentsApi['invoiceOf'];
}

/** A payment named by the caller, as far as the shop knows it. */
interface Named {
  readonly invoiceId: string;
  readonly invoice: KnownInvoice;
  readonly provider: PaymentProvider;
  readonly session: PaymentSession | null;
  /** By which the provider knows it. */
  readonly reference: string;
}

const nobodyKnows = (): Rejection => new Rejection('payment-not-found', 'There is no such payment.');

const away = (): Rejection =>
  new Rejection(
    'provider-unavailable',
    'The payment provider cannot be reached. Load this page again in a moment.',
  );

const nothingNamed = (): Rejection =>
  new Rejection(
    'invalid-request',
    'sessionId: must be the session, the transaction or the invoice of a payment.',
  );

/** The session meant by an invoice: the last one that can still be paid in, else the last one. */
const lastSession = ({ sessions }: KnownInvoice, alias: string | undefined): PaymentSession | null => {
  const its = sessions.filter(({ provider }) => alias === undefined || provider === alias);
  return its.findLast(({ status }) => status === 'open') ?? its.at(-1) ?? null;
};

const ofInvoice = async (
  { settlement, providers }: PaymentReturnDeps,
  back: PaymentReturn,
): Promise<Named> => {
  const invoiceId = back.invoiceId?.toLowerCase() ?? '';
  const invoice = await settlement.load(invoiceId);
  if (!isKnown(invoice)) throw nobodyKnows();
  const { pending } = invoice;
  if (pending && (back.provider ?? pending.provider) === pending.provider) {
    const owing = providers.find((one) => one.alias === pending.provider);
    if (!owing) throw nobodyKnows();
    const session = invoice.sessions.find(({ sessionId }) => sessionId === pending.sessionId) ?? null;
    return {
      invoiceId,
      invoice,
      provider: owing,
      session,
      reference: session?.sessionId ?? pending.transactionId,
    };
  }
  const session = lastSession(invoice, back.provider);
  const last = invoice.payments.at(-1) ?? invoice.authorizations.at(-1);
  const alias = session?.provider ?? back.provider ?? last?.provider;
  const provider = providers.find((one) => one.alias === alias);
  if (!provider) throw nobodyKnows();
  const reference = session?.sessionId ?? last?.transactionId;
  if (reference === undefined) throw nobodyKnows();
  return { invoiceId, invoice, provider, session, reference };
};

/** Some providers append their own name of it to the page that they send payers back to. */
const toldBy = ({ providers }: PaymentReturnDeps, { provider, parameters }: PaymentReturn) =>
  providers.find(({ alias }) => alias === provider)?.cameFrom?.(parameters) ?? undefined;

const named = async (deps: PaymentReturnDeps, back: PaymentReturn): Promise<Named> => {
  const reference = back.sessionId ?? back.transactionId ?? toldBy(deps, back);
  if (reference === undefined && back.invoiceId === undefined) throw nothingNamed();
  if (reference === undefined) return ofInvoice(deps, back);
  const { provider: alias } = back;
  let isOneAway = false;
  for (const provider of deps.providers.filter((one) => alias === undefined || one.alias === alias)) {
    const invoiceId = await deps
      .invoiceOf(provider.alias, reference, back.toAskUnknown)
      .catch((error: unknown) => {
        if (!(error instanceof Rejection) || error.code !== 'provider-unavailable') throw error;
        isOneAway = true;
        return null;
      });
    if (invoiceId === null) continue;
    const invoice = await deps.settlement.load(invoiceId);
    if (!isKnown(invoice)) continue;
    const isIt = (one: PaymentSession): boolean =>
      one.provider === provider.alias && one.sessionId === reference;
    const session = invoice.sessions.find(isIt) ?? null;
    return { invoiceId, invoice, provider, session, reference };
  }
  throw isOneAway ? away() : nobodyKnows();
};

const outcomeNow = (
  invoice: KnownInvoice,
  { provider, reference }: Named,
  transactionId = reference,
): KnownOutcome =>
  foundOutcome(invoice, { provider: provider.alias, reference }, transactionId) ?? {
    kind: 'pending',
    transactionId: reference,
  };

/** Asks the provider what has come of it, and lets it complete what it completes only now. */
const askOf = async (
  deps: SaveMethodDeps,
  { provider, session, reference }: Named,
  { parameters, saveFor }: PaymentReturn,
  isOnlyLooking: boolean,
) => {
  // A closed session is only looked up: no payment is taken in it any more.
  const isOpen = (session?.status === 'open' && !isOnlyLooking) || !provider.lookUp;
  const customer = await vaultCustomerOf(deps, provider, saveFor);
  const asked =
    session && isOpen && provider.confirm
      ? provider.confirm({ sessionId: reference, parameters, ...(customer && { saveFor: customer }) })
      : provider.lookUp?.({ transactionId: reference });
  if (!asked) return { kind: 'unknownOutcome' } as const;
  return settledPayment(provider, await withProviderTimeout(asked, PROVIDER_TIMEOUT_MILLISECONDS));
};

const refuseUnlessFound = (found: FoundPayment, invoiceId: string): void => {
  if (found.kind === 'unavailable') throw away();
  if (found.kind === 'notFound') throw nobodyKnows();
  if (found.kind === 'found' && (found.payment.invoiceId ?? invoiceId) !== invoiceId) throw nobodyKnows();
};

/** Who may complete it, and of which invoice it must be. */
interface OnlyFor {
  readonly isForOwner: boolean;
  readonly invoiceId: string | null;
  /** The payer has not come back: nothing is completed at the provider. */
  readonly isOnlyLooking: boolean;
}
const anybody: OnlyFor = { isForOwner: false, invoiceId: null, isOnlyLooking: false };

/** The payer is back. The payment's outcome is recorded whoever asks; only the owner continues as a buyer. */
const completeReturn =
  (deps: PaymentReturnDeps) =>
  async (
    basketId: string | null,
    back: PaymentReturn,
    meta: CommandMeta,
    only: OnlyFor = anybody,
  ): Promise<PaymentReturnResult> => {
    const it = await named(deps, back);
    const { invoiceId, provider, session } = it;
    if ((only.invoiceId ?? invoiceId) !== invoiceId) throw nobodyKnows();
    if (only.isForOwner) await ownInvoice(deps, invoiceId, basketId, meta.actor);
    let position = 0;
    let { invoice } = it;
    let transactionId: string | undefined;
    if (!hasBought(outcomeNow(invoice, it))) {
      const found = await askOf(deps, it, back, only.isOnlyLooking);
      refuseUnlessFound(found, invoiceId);
      if (found.kind === 'found') {
        ({ transactionId } = found.payment);
        const saveFor = back.saveFor ?? session?.saveFor ?? it.invoice.pending?.saveFor ?? null;
        const of = { provider: provider.alias, sessionId: session?.sessionId ?? null, saveFor };
        position = await deps.payments.recordFound(invoiceId, of, found.payment, meta);
        const now = await deps.settlement.load(invoiceId);
        if (isKnown(now)) invoice = now;
      }
    } else position = await deps.settlement.settle(invoiceId, meta);
    return {
      outcome: outcomeNow(invoice, it, transactionId),
      session,
      paid: paidInvoice(deps, invoiceId, invoice, position),
      isOwner: await isBuyer(deps, invoice, basketId, meta.actor),
    };
  };

/** What a provider has not closed may still bring money: nothing is closed here before it knows. */
const awaited = async (
  { payments }: PaymentReturnDeps,
  { invoiceId, provider, reference }: Named,
  meta: CommandMeta,
): Promise<number> => {
  if (!provider.lookUp) throw away();
  const asked = provider.lookUp({ transactionId: reference });
  const found = await withProviderTimeout(asked, PROVIDER_TIMEOUT_MILLISECONDS);
  if (found.kind !== 'found' || found.payment.status !== 'pending') throw away();
  return payments.recordFound(
    invoiceId,
    { provider: provider.alias, sessionId: reference },
    found.payment,
    meta,
  );
};

/** Closes a session that was given up, at its provider first. */
const closed = async (deps: PaymentReturnDeps, it: Named, meta: CommandMeta): Promise<number> => {
  const { invoiceId, provider, reference } = it;
  const by = voidSessionBy((alias) => deps.providers.find((one) => one.alias === alias));
  const told = await by({ provider: provider.alias, sessionId: reference, invoiceId });
  if (told.paid?.type === 'RecordAuthorization') {
    await deps.settlement.record(invoiceId, told.paid, meta);
    return deps.settlement.settle(invoiceId, meta);
  }
  if (told.paid) return (await deps.payments.recordProviderPayment(invoiceId, told.paid, meta)).position;
  if (!told.isVoided) return awaited(deps, it, meta);
  const declined = { provider: provider.alias, transactionId: reference, sessionId: reference };
  const why = { reason: 'The payment was cancelled.', isCancelled: true };
  return (await deps.payments.declineProviderPayment(invoiceId, { ...declined, ...why }, meta)).position;
};

/** The payer gives it up: who has the session's id, or owns the invoice. It stays payable. */
const giveUp =
  (deps: PaymentReturnDeps) =>
  async (basketId: string | null, back: PaymentReturn, meta: CommandMeta): Promise<PaymentReturnResult> => {
    const it = await named(deps, back);
    const { invoiceId, session } = it;
    if (back.sessionId === undefined) await ownInvoice(deps, invoiceId, basketId, meta.actor);
    let { invoice } = it;
    let position = 0;
    if (session && outcomeNow(invoice, it).kind === 'requiresAction') {
      position = await closed(deps, it, meta);
      const now = await deps.settlement.load(invoiceId);
      if (isKnown(now)) invoice = now;
    }
    return {
      outcome: outcomeNow(invoice, it),
      session,
      paid: paidInvoice(deps, invoiceId, invoice, position),
      isOwner: await isBuyer(deps, invoice, basketId, meta.actor),
    };
  };

/** Payers who come back from a provider (docs/rules/payment-sessions.md#coming-back). */
export const createPaymentReturns = (deps: PaymentReturnDeps) => ({
  completeReturn: completeReturn(deps),
  giveUp: giveUp(deps),
});

export type PaymentReturnActions = ReturnType<typeof createPaymentReturns>;
