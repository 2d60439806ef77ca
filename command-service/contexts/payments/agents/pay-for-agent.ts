import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { Actor } from '#kernel/event.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isKnown, type InvoiceState } from '../../invoices/invoice.state.ts';
import type { CardPayment } from '../../invoices/payments/payment.commands.ts';
import type { AgentOrder, AgentPaid, AgentPayment, AgentPaymentsApi } from './agent-payments.commands.ts';
import { beginOrder, chosen, type BegunOrder } from '../begin-order.ts';
import { CAME_LATE, createChargeAtAnyTime, isLate } from '../charging/charging.ts';
import type { Paid } from '../charging/own-invoice.ts';
import { attemptWith, chargeableMethod } from '../charging/process-saved.ts';
import type { KnownOutcome } from '../charging/payment-outcome.ts';
import { createPaymentActions, type PaymentActionDeps } from '../payments.actions.ts';
import { sessionKindOf, type ChosenWay } from '../sessions/start-session.ts';
import { declinedBy, standingOf } from './standing-payment.ts';

const boughtBy = ({ invoiceId, invoice }: Pick<Paid, 'invoiceId' | 'invoice'>): AgentPaid => ({
  kind: 'bought',
  invoiceId,
  invoiceNumber: invoice.invoiceNumber,
});

/** What the agent has not agreed to is not asked for. Errors: Rejection `basket-changed`. */
const refuseOther = (invoice: InvoiceState, { isAgreed }: AgentOrder): void => {
  if (isKnown(invoice) && isAgreed(invoice)) return;
  throw new Rejection('basket-changed', 'The checkout has changed meanwhile. Read it and complete it again.');
};

const outcomeFor = (outcome: KnownOutcome, paid: Paid): AgentPaid => {
  const { invoiceId } = paid;
  switch (outcome.kind) {
    case 'completed':
    case 'authorized':
      return boughtBy(paid);
    case 'declined':
    case 'cancelled': {
      const { lastFailure } = paid.invoice;
      if (lastFailure?.message === outcome.message) return declinedBy(invoiceId, lastFailure);
      return { kind: 'declined', invoiceId, isFraud: false, message: outcome.message };
    }
    case 'pending':
      return { kind: 'awaited', invoiceId, from: 'provider', continueUrl: null };
    case 'requiresAction': {
      const { redirectUrl } = outcome.session;
      return { kind: 'awaited', invoiceId, from: 'buyer', continueUrl: redirectUrl };
    }
  }
};

const tokenPayment = (
  { keyedHash }: Pick<PaymentActionDeps, 'keyedHash'>,
  { provider, method }: ChosenWay,
  { token, ownAddress }: AgentPayment & { readonly token: string },
): CardPayment => ({
  type: 'AttemptPayment',
  provider: provider.alias,
  method: method.methodAlias,
  token,
  tokenHash: keyedHash('payment-token', token),
  ownAddress,
});

/** Charges it under a command id of its own, by which the invoice recognises a repeat. */
const chargeWith =
  (deps: PaymentActionDeps) =>
  async ({ invoiceId }: BegunOrder, payment: CardPayment, meta: CommandMeta): Promise<AgentPaid> => {
    const attempt = await createChargeAtAnyTime(deps)(invoiceId, payment, meta);
    // Not as a refusal that may be tried again: the buyer would be charged twice.
    if (isLate(attempt)) return { kind: 'declined', invoiceId, isFraud: false, message: CAME_LATE };
    return outcomeFor(attempt.outcome, attempt.paid);
  };

/** Looked up before anything is ordered; null: it is not paid by a saved method. Errors: those of one. */
const savedFor = (
  deps: PaymentActionDeps,
  { savedMethodId, providerAlias }: AgentPayment,
  { memberId }: AgentOrder,
) =>
  savedMethodId === null
    ? null
    : chargeableMethod(deps, { savedPaymentMethodId: savedMethodId, providerAlias }, memberId ?? '');

/** Where the buyer goes on; a widget has no page of its own. */
const startSession = async (
  deps: PaymentActionDeps,
  { invoiceId }: BegunOrder,
  way: ChosenWay,
  { ownAddress: shop, pages }: AgentPayment,
  meta: CommandMeta,
): Promise<AgentPaid> => {
  const started = await deps.startSession(invoiceId, way, { ...pages, shop }, meta);
  if (started.kind === 'refused')
    return { kind: 'declined', invoiceId, isFraud: false, message: started.message };
  const { redirectUrl } = started.session;
  return { kind: 'awaited', invoiceId, from: 'buyer', continueUrl: redirectUrl };
};

/**
 * An order and its payment, as a storefront asks for them, for the buyer of an agent
 * (docs/rules/agent-sessions.md#completing).
 */
export const createPayForAgent = (deps: PaymentActionDeps): AgentPaymentsApi['payForAgent'] => {
  const { processDirect } = createPaymentActions(deps);
  const charge = chargeWith(deps);
  return async (basketId, payment, order, meta) => {
    const way = chosen(deps, payment);
    const { token, pages, ownAddress: shop } = payment;
    const saved = await savedFor(deps, payment, order);
    const begun = await beginOrder(deps, basketId, way, { ...pages, shop }, order.buyer, meta);
    const { invoiceId, invoice, paid } = begun;
    if (paid) return boughtBy(paid);
    refuseOther(invoice, order);
    if (saved !== null) return charge(begun, attemptWith(deps, saved, { ownAddress: shop }), stepMeta(meta));
    if (way.method.integration === 'DirectForm') {
      const [field] = way.method.formFields;
      const formData = field && token !== null ? { [field.name]: token } : {};
      const input = { ...payment, invoiceId, formData };
      const { buyer, memberId } = order;
      const payer: Actor = memberId === null ? meta.actor : { kind: 'member', id: memberId };
      const recorded = await processDirect(basketId, input, buyer, stepMeta(meta), payer);
      const { content } = recorded.invoice;
      const standing = standingOf(invoiceId, recorded.invoice, content.createdAt);
      if (!standing) throw new Error(`the direct payment of invoice ${invoiceId} left nothing behind`);
      return standing;
    }
    if (token !== null && way.provider.charge && way.method.integration !== 'Redirect')
      return charge(begun, tokenPayment(deps, way, { ...payment, token }), stepMeta(meta));
    if (sessionKindOf(way) !== null) return startSession(deps, begun, way, payment, stepMeta(meta));
    throw new Rejection('invalid-request', 'credential.token: must be the token of the provider.');
  };
};
