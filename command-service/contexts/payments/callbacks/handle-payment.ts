import {
  PROVIDER_TIMEOUT_MILLISECONDS as patience,
  withProviderTimeout,
} from '#command/engine/provider-timeout.ts';
import { Rejection } from '#kernel/rejection.ts';
import { formatMoney } from '#values/money.ts';
import { authorizationNamed } from '../../invoices/payments/authorizations.state.ts';
import { matching } from '../../invoices/payments/reported-payment.state.ts';
import { settledPayment } from '../providers/ask-provider.ts';
import {
  accept,
  contradicted,
  isOtherCurrency,
  knows,
  note,
  otherCurrency,
  paymentIn,
  referencesOf,
  type Handler,
} from './handle-callback.ts';

export const completed: Handler = async (deps, find, received) => {
  const { alias, event, meta } = received;
  const { transactionId, sessionId, eventId, risk, settlement } = event;
  if (transactionId === null) return 'incomplete';
  const { found, isToBeOrdered } = await find(alias, event);
  // Of a payment that is on record more may be told without its amount.
  const onRecord = found && paymentIn(found.invoice, alias, event);
  const amountTold = event.amountMinor ?? onRecord?.amount ?? null;
  if (amountTold === null || amountTold <= 0) return 'incomplete';
  if (!found) return isToBeOrdered ? 'early' : 'unmatched';
  // Its order came too late for it.
  if (!onRecord && (await deps.unmatched.isGivenBack(alias, transactionId))) return 'known';
  const { invoiceId, invoice } = found;
  const currency = event.currency ?? invoice.content.currency;
  if (isOtherCurrency(event, found)) return otherCurrency(deps, found, received);
  // Before it is recorded: what is owed back is given back at once, by a provider that has to know of it.
  const accepted = { type: 'PaymentCompleted', invoiceId, transactionId, refundId: null } as const;
  const booked = await accept(deps, alias, { ...accepted, amountMinor: amountTold, currency });
  const amount = onRecord?.amount ?? booked;
  const payment = {
    ...{ provider: alias, method: null, transactionId, sessionId, amount, currency, risk, settlement },
    webhookEventId: eventId,
    keptMethodId: await deps.payments.saveMethodOf(invoice, alias, referencesOf(event), meta),
  };
  const recorded = await deps.payments.recordProviderPayment(invoiceId, payment, meta);
  if (recorded.kind === 'otherCurrency') return otherCurrency(deps, found, received);
  if (amount !== amountTold)
    await contradicted(
      deps,
      found,
      { reference: transactionId, recorded: amount, told: amountTold },
      received,
    );
  if (recorded.isOverpayment) {
    const text =
      `${alias}: payment ${transactionId} over ${formatMoney(amount, currency)} came when nothing was due. ` +
      'It is owed back.';
    await note(deps, invoiceId, text, received, `owed back ${transactionId}`);
    return 'owed-back';
  }
  return amount === amountTold ? recorded.kind : 'contradicted';
};

/**
 * Set aside: the provider is asked how it stands, since it may have been taken or let go by now, and until when it can
 * be captured.
 */
export const authorized: Handler = async (deps, find, received) => {
  const { alias, event, meta } = received;
  const { transactionId, sessionId } = event;
  if (transactionId === null) return 'incomplete';
  const { found, isToBeOrdered } = await find(alias, event);
  // No money is there that could be lost: without an order it goes back by itself.
  if (!found) return isToBeOrdered ? 'early' : 'ignored';
  const { invoiceId, invoice } = found;
  if (paymentIn(invoice, alias, event) || authorizationNamed(invoice, alias, transactionId)) return 'known';
  if (isOtherCurrency(event, found)) return otherCurrency(deps, found, received);
  const provider = deps.provider(alias);
  if (!provider?.lookUp) return 'ignored';
  const asked = withProviderTimeout(provider.lookUp({ transactionId }), patience);
  const known = await settledPayment(provider, await asked);
  if (known.kind === 'notFound') return 'unmatched';
  if (known.kind !== 'found')
    throw new Rejection('provider-unavailable', 'The payment provider cannot be reached. Try again.');
  const { session, owed } = matching(invoice, { provider: alias, transactionId, sessionId });
  const saveFor = session?.saveFor ?? owed?.saveFor ?? null;
  const of = { provider: alias, sessionId: session?.sessionId ?? null, saveFor };
  await deps.payments.recordFound(invoiceId, of, known.payment, meta);
  return 'recorded';
};

/** Failed or cancelled: never final, and nothing against a payment that is complete. */
export const notPaid: Handler = async (deps, find, received) => {
  const { alias, event, meta } = received;
  const { found, isToBeOrdered } = await find(alias, event);
  // There is no order, so nothing could be paid otherwise.
  if (!found) return isToBeOrdered ? 'ignored' : 'unmatched';
  const { invoiceId, invoice } = found;
  if (paymentIn(invoice, alias, event)) return 'known';
  const isCancelled = event.type === 'PaymentCancelled';
  const [reference] = referencesOf(event);
  const reason = event.reason ?? (isCancelled ? 'The payment was cancelled.' : 'The payment failed.');
  // One that the shop knows nothing of can fail, but there is nothing to be cancelled.
  if (reference !== undefined && (!isCancelled || knows(invoice, alias, reference))) {
    const { sessionId } = event;
    const amount = isOtherCurrency(event, found) ? null : event.amountMinor;
    const declined = { provider: alias, transactionId: reference, sessionId, reason, isCancelled, amount };
    const { isExpired = false } = event;
    const { events } = await deps.payments.declineProviderPayment(
      invoiceId,
      { ...declined, isExpired },
      meta,
    );
    // Staff read of it on the invoice already.
    if (events.some(({ type }) => type === 'PaymentDeclined' || type === 'AuthorizationReleased'))
      return 'recorded';
    // Told once more, or after the shop had let it go.
    if (authorizationNamed(invoice, alias, reference)) return 'known';
  }
  const what = isCancelled ? 'was cancelled' : 'failed';
  await note(deps, invoiceId, `${alias}: payment ${reference ?? ''} ${what}. ${reason}`, received);
  return 'recorded';
};

/** Staff decide what comes of it: the money is where it was. */
export const suspected: Handler = async (deps, find, received) => {
  const { alias, event } = received;
  const [reference] = referencesOf(event);
  if (reference === undefined) return 'incomplete';
  const { found } = await find(alias, event);
  // It may come before what the provider tells of the payment itself.
  if (!found) return 'early';
  const why = event.reason ?? 'It may be fraud.';
  await note(deps, found.invoiceId, `${alias}: payment ${reference}: ${why}`, received);
  return 'noted';
};

export const setUp: Handler = async ({ apis }, _find, { alias, event: { sessionId }, meta }) => {
  if (sessionId === null) return 'incomplete';
  try {
    return (await apis.savedMethods.finishSetUp(alias, sessionId, meta)) ? 'recorded' : 'ignored';
  } catch (error) {
    // A repeat would change nothing of that.
    if (error instanceof Rejection && error.code === 'too-many-payment-methods') return 'ignored';
    throw error;
  }
};
