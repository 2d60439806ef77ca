import type { CommandMeta } from '#command/engine/command-engine.ts';
import { withProviderTimeout, PROVIDER_TIMEOUT_MILLISECONDS } from '#command/engine/provider-timeout.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { FoundPayment, ProviderPayment } from '#ports/payment-requests.ts';
import type { KnownInvoice } from '../../invoices/invoice.state.ts';
import { settledPayment } from '../providers/ask-provider.ts';
import { knownInvoice, ownInvoice, paidInvoice, type OwnInvoiceDeps, type Paid } from './own-invoice.ts';
import { hasBought, transactionOutcome, type KnownOutcome } from './payment-outcome.ts';
import type { ProviderPayments } from '../callbacks/provider-payments.actions.ts';
import { payableNow, providerUnavailable } from '../sessions/start-session.ts';

interface ProcessTransactionDeps extends OwnInvoiceDeps, Pick<CommandDeps, 'clock' | 'settings'> {
  readonly providerPayments: ProviderPayments;
}

const notOfThis = (problem: string): Rejection =>
  new Rejection('invalid-request', `transactionId: ${problem}`);

/** What the provider knows of the transaction, if it is of this invoice, its amount and its currency. */
const paymentFound = (
  invoiceId: string,
  { balance, content }: KnownInvoice,
  found: FoundPayment,
): ProviderPayment => {
  if (found.kind === 'notFound') throw notOfThis('must be a transaction of this provider.');
  if (found.kind !== 'found') throw providerUnavailable();
  const { payment } = found;
  if (payment.invoiceId !== invoiceId) throw notOfThis('must be a transaction of this invoice.');
  if (payment.currency !== content.currency) throw notOfThis(`must be a transaction in ${content.currency}.`);
  if (payment.amountMinor !== balance.balanceDue) throw notOfThis('must be a transaction over what is due.');
  return payment;
};

/**
 * Takes over a payment that the shopper's page has made at the provider by itself. The caller says its name, nothing
 * else of it is believed. Errors: `invalid-request`, and those of a payment that cannot be.
 */
export const createProcessTransaction =
  (deps: ProcessTransactionDeps) =>
  async (
    basketId: string | null,
    invoiceId: string,
    provider: PaymentProvider,
    transactionId: string,
    meta: CommandMeta,
  ): Promise<{ readonly outcome: KnownOutcome; readonly paid: Paid }> => {
    const { settlement, providerPayments } = deps;
    const names = { provider: provider.alias, reference: transactionId };
    const invoice = await ownInvoice(deps, invoiceId, basketId, meta.actor);
    const known = transactionOutcome(invoice, names);
    if (known && hasBought(known)) {
      const position = await settlement.settle(invoiceId, meta);
      return { outcome: known, paid: paidInvoice(deps, invoiceId, invoice, position) };
    }
    const isOwed = invoice.pending?.provider === provider.alias && known?.kind === 'pending';
    if (!isOwed) await payableNow(deps, invoiceId);
    if (!provider.lookUp) throw notOfThis(`${provider.alias} cannot say what it is.`);
    const asked = withProviderTimeout(provider.lookUp({ transactionId }), PROVIDER_TIMEOUT_MILLISECONDS);
    const found = paymentFound(invoiceId, invoice, await asked);
    const settled = await settledPayment(provider, { kind: 'found', payment: found });
    const payment = settled.kind === 'found' ? settled.payment : found;
    const session = invoice.sessions.find((one) => one.sessionId === transactionId);
    const { sessionId = null, saveFor = null } = session ?? {};
    const of = { provider: provider.alias, sessionId, saveFor };
    const position = await providerPayments.recordFound(invoiceId, of, payment, meta);
    const now = await knownInvoice(settlement, invoiceId);
    const outcome = transactionOutcome(now, names) ?? ({ kind: 'pending', transactionId } as const);
    return { outcome, paid: paidInvoice(deps, invoiceId, now, position) };
  };
