import type { Logger } from 'pino';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { derivedId } from '#kernel/ids.ts';
import type { AcceptedCallback, PaymentCallback } from '#ports/payment-callback.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import { formatMoney } from '#values/money.ts';
import { isKnown, type KnownInvoice, type Payment } from '../../invoices/invoice.state.ts';
import type { Meant } from '../providers/ask-provider.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';
import type { SavedMethodsApi } from '../../payment-methods/saved-method.commands.ts';
import { differenceText, type PaymentDifferences } from './payment-differences.ts';
import type { PaymentsApi } from '../../invoices/payments/payment.commands.ts';
import type { UnmatchedActions } from '../unmatched/unmatched-payments.actions.ts';
import type { ProviderPayments } from './provider-payments.actions.ts';

/**
 * What came of an event, in a word. `early`: its subject does not exist yet; `unmatched`: its invoice is unknown;
 * `incomplete`: it lacks a required field.
 */
export type CallbackOutcome =
  | 'recorded'
  | 'known'
  | 'owed-back'
  | 'refund-failed'
  | 'other-currency'
  | 'contradicted'
  | 'noted'
  | 'incomplete'
  | 'unmatched'
  | 'parked'
  | 'ignored';

export type Routed = CallbackOutcome | 'early';

export interface RouteCallbackDeps extends Pick<CommandDeps, 'streams'> {
  readonly apis: { readonly savedMethods: Pick<SavedMethodsApi, 'finishSetUp'> };
  readonly payments: Pick<PaymentsApi, 'recordProviderPayment' | 'declineProviderPayment'> &
    Pick<ProviderPayments, 'saveMethodOf' | 'recordFound'> & {
      readonly meant: (provider: string, reference: string) => Promise<Meant>;
    };
  readonly provider: (alias: string) => PaymentProvider | undefined;
  readonly differences: Pick<PaymentDifferences, 'note'>;
  readonly unmatched: Pick<UnmatchedActions, 'receive' | 'refundTold' | 'isGivenBack'>;
  readonly log: Pick<Logger, 'warn'>;
}

export interface FoundInvoice {
  readonly invoiceId: string;
  readonly invoice: KnownInvoice;
}

export interface ReceivedCallback {
  readonly alias: string;
  readonly event: PaymentCallback;
  readonly meta: CommandMeta;
}

const guid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const referencesOf = ({ transactionId, sessionId }: PaymentCallback): readonly string[] =>
  [transactionId, sessionId].filter((reference) => reference !== null);

export const paymentIn = (
  { payments }: KnownInvoice,
  alias: string,
  { transactionId, sessionId }: PaymentCallback,
): Payment | undefined =>
  payments.find(
    (made) =>
      made.provider === alias &&
      (transactionId === null
        ? sessionId !== null && made.sessionId === sessionId
        : made.transactionId === transactionId),
  );

/** Whether the invoice has met a payment under this name. */
export const knows = (
  { payments, authorizations, sessions, pending }: KnownInvoice,
  alias: string,
  reference: string,
): boolean =>
  [...payments, ...authorizations, ...sessions, ...(pending ? [pending] : [])].some(
    (one) =>
      one.provider === alias &&
      (('transactionId' in one && one.transactionId === reference) || one.sessionId === reference),
  );

/** What a search for the invoice of an event has come to. */
export interface Search extends Pick<Meant, 'isToBeOrdered'> {
  readonly found: FoundInvoice | null;
}

export const createFinder = ({ streams, payments }: RouteCallbackDeps) => {
  const known = async (invoiceId: string | null): Promise<FoundInvoice | null> => {
    const id = invoiceId?.toLowerCase() ?? '';
    if (!guid.test(id)) return null;
    const { state } = await streams.load(invoiceStream, id);
    return isKnown(state) ? { invoiceId: id, invoice: state } : null;
  };
  /** The transaction outranks the invoice that the event names (docs/rules/payment-callbacks.md#which-invoice). */
  return async (alias: string, event: PaymentCallback): Promise<Search> => {
    const named = await known(event.invoiceId);
    const references = referencesOf(event);
    if (named && references.some((reference) => knows(named.invoice, alias, reference)))
      return { found: named, isToBeOrdered: false };
    let isToBeOrdered = false;
    for (const reference of references) {
      const meant = await payments.meant(alias, reference);
      const found = await known(meant.invoiceId);
      if (found) return { found, isToBeOrdered: false };
      isToBeOrdered ||= meant.isToBeOrdered;
    }
    return { found: named, isToBeOrdered: isToBeOrdered && named === null };
  };
};

export type Find = ReturnType<typeof createFinder>;
export type Handler = (deps: RouteCallbackDeps, find: Find, received: ReceivedCallback) => Promise<Routed>;

export const note = async (
  { streams }: RouteCallbackDeps,
  invoiceId: string,
  text: string,
  { alias: provider, event, meta }: ReceivedCallback,
  /** What is noted once, however many events tell of it. */
  subject: string = event.eventId,
): Promise<void> => {
  const noteId = derivedId('callback-note', provider, subject);
  await streams.send(invoiceStream, invoiceId, { type: 'NoteCallback', noteId, text, provider }, meta, {
    isProcessStep: true,
  });
};

/** Tells the books of a provider for tests; over how much the payment is there, else as it was told. */
export const accept = async (
  { provider }: RouteCallbackDeps,
  alias: string,
  accepted: AcceptedCallback,
): Promise<number> => (await provider(alias)?.accepted?.(accepted)) ?? accepted.amountMinor;

export const otherCurrency = async (
  deps: RouteCallbackDeps,
  { invoiceId, invoice }: FoundInvoice,
  received: ReceivedCallback,
): Promise<'other-currency'> => {
  const { event } = received;
  const amount = formatMoney(event.amountMinor ?? 0, event.currency ?? '');
  const text =
    `${received.alias}: ${event.type} ${event.transactionId ?? ''} is over ${amount}, but the invoice is in ` +
    `${invoice.content.currency}. Nothing was recorded.`;
  await note(deps, invoiceId, text, received);
  return 'other-currency';
};

/** Two amounts of one payment or refund: what is recorded stays, and staff see what was said beside. */
export const contradicted = async (
  deps: RouteCallbackDeps,
  { invoiceId, invoice }: FoundInvoice,
  of: { readonly reference: string; readonly recorded: number; readonly told: number },
  received: ReceivedCallback,
): Promise<'contradicted'> => {
  const { invoiceNumber, content } = invoice;
  const difference = {
    provider: received.alias,
    invoiceId,
    invoiceNumber,
    currency: content.currency,
    ...of,
  };
  await deps.differences.note(difference);
  await note(
    deps,
    invoiceId,
    differenceText(difference),
    received,
    `${of.reference} ${of.recorded} ${of.told}`,
  );
  return 'contradicted';
};

export const isOtherCurrency = ({ currency }: PaymentCallback, { invoice }: FoundInvoice): boolean =>
  currency !== null && currency !== invoice.content.currency;

export interface FoundPayment extends FoundInvoice {
  readonly payment: Payment;
}

/** The payment that an event is about; null while it is not there. */
export const paymentFor = async (
  find: Find,
  { alias, event }: ReceivedCallback,
): Promise<FoundPayment | null> => {
  const { found } = await find(alias, event);
  const payment = found && paymentIn(found.invoice, alias, event);
  return payment ? { ...found, payment } : null;
};
