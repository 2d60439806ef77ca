import type { CommandMeta } from '#command/engine/command-engine.ts';
import { withProviderTimeout, PROVIDER_TIMEOUT_MILLISECONDS } from '#command/engine/provider-timeout.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { PaymentSessionKind } from '#events/invoice.events.ts';
import { isoInstant } from '#kernel/clock.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { PaymentMethodInfo, PaymentProvider } from '#ports/payment-provider.ts';
import type { StartedSession } from '#ports/payment-requests.ts';
import { isKnown, type KnownInvoice } from '../../invoices/invoice.state.ts';
import { customerIn, payerOf, type SaveMethodDeps } from '../charging/save-method.ts';
import type { SaveFor } from '../../invoices/payments/open-attempt.state.ts';
import { payable, refuseWhileOwed } from '../../invoices/payments/invoice-money.state.ts';
import type { PaymentReferences } from '../providers/payment-references.ts';
import { refuseAnotherSession, sessionKeyOf } from '../../invoices/payments/asked-payment.state.ts';
import type { Settlement } from '../settle-payment.ts';

/** Where a payer comes back to: the shopper's own pages, and before them the shop's. */
export interface SessionPages {
  readonly returnUrl: string;
  readonly cancelUrl: string;
  /** Scheme and host of the shop; empty where it does not know them: its pages are paths then. */
  readonly shop: string;
}

/** A way to pay. */
export interface ChosenWay {
  readonly provider: PaymentProvider;
  readonly method: PaymentMethodInfo;
  readonly saveFor?: SaveFor | null;
}

/** A session, or the provider's no. */
export type StartedPayment =
  | { readonly kind: 'started'; readonly session: StartedSession; readonly position: number }
  | { readonly kind: 'refused'; readonly message: string };

interface StartSessionDeps extends Pick<CommandDeps, 'clock' | 'settings'>, SaveMethodDeps {
  readonly settlement: Settlement;
  readonly references: Pick<PaymentReferences, 'keep'>;
}

export const providerUnavailable = (): Rejection =>
  new Rejection(
    'provider-unavailable',
    'The payment provider cannot be reached. Nothing was charged; try again.',
  );

/** As what a way to pay starts; null: it needs nothing of its provider before the payment itself. */
export const sessionKindOf = ({ provider, method }: ChosenWay): PaymentSessionKind | null => {
  if (!provider.start) return null;
  switch (method.integration) {
    case 'Redirect':
      return 'redirect';
    case 'Widget':
      return 'widget';
    case 'HostedFields':
      return method.startsIntent ? 'intent' : null;
    case 'DirectForm':
      return null;
  }
};

/** An invoice that can be paid now. Errors: those of a payment that cannot. */
export const payableNow = async (
  { settlement, clock, settings }: Pick<StartSessionDeps, 'settlement' | 'clock' | 'settings'>,
  invoiceId: string,
): Promise<KnownInvoice> => {
  const context = { invoiceId, now: isoInstant(clock.now()), unpaid: settings() };
  const known = await settlement.recall(invoiceId);
  const invoice = payable(isKnown(known) ? known : await settlement.load(invoiceId), context);
  refuseWhileOwed(invoice);
  return invoice;
};

/** The shop's own page, with which a provider names what it is about. */
const pageOf = (shop: string, page: 'return' | 'cancel', alias: string, invoiceId: string): string =>
  `${shop}/api/shop/checkout/${page}?provider=${encodeURIComponent(alias)}&invoiceId=${invoiceId}`;

/**
 * Starts a session for what an invoice still owes. The provider is asked under a key derived from the invoice, so
 * that a repeat gets the same session (docs/rules/payment-sessions.md#sessions).
 */
export const createStartSession =
  (deps: StartSessionDeps) =>
  async (
    invoiceId: string,
    way: ChosenWay,
    { returnUrl, cancelUrl, shop }: SessionPages,
    meta: CommandMeta,
  ): Promise<StartedPayment> => {
    const { provider, method, saveFor } = way;
    const kind = sessionKindOf(way);
    if (kind === null || !provider.start) throw new TypeError(`${method.methodAlias} starts no session`);
    const invoice = await payableNow(deps, invoiceId);
    const { content, balance, invoiceNumber } = invoice;
    const asked = {
      ...{ provider: provider.alias, method: method.methodAlias, returnUrl, cancelUrl },
      ...(saveFor && { saveFor }),
    };
    refuseAnotherSession(invoice, asked);
    const payer = saveFor ? await payerOf(deps, provider, saveFor) : null;
    const amount = balance.balanceDue;
    const started = await withProviderTimeout(
      provider.start({
        idempotencyKey: sessionKeyOf(invoiceId, invoice, asked),
        methodAlias: method.methodAlias,
        amountMinor: amount,
        currency: content.currency,
        invoiceId,
        basketId: null,
        returnPage: pageOf(shop, 'return', provider.alias, invoiceId),
        cancelPage: pageOf(shop, 'cancel', provider.alias, invoiceId),
        description: invoiceNumber,
        ...(saveFor && payer && { saveFor: customerIn(saveFor, payer) }),
      }),
      PROVIDER_TIMEOUT_MILLISECONDS,
    );
    if (started.kind === 'refused') return { kind: 'refused', message: started.message };
    // To start a session takes no money: without an answer it is simply asked for again.
    if (started.kind !== 'started') throw providerUnavailable();
    const { session } = started;
    const { sessionId } = session;
    const kept = payer ? { payer } : {};
    const opening = { type: 'OpenPaymentSession', sessionId, ...asked, ...kept, kind, amount } as const;
    const { position } = await deps.settlement.record(invoiceId, opening, meta);
    await deps.references.keep(provider.alias, [sessionId], invoiceId);
    return { kind: 'started', session, position };
  };

export type StartSession = ReturnType<typeof createStartSession>;
