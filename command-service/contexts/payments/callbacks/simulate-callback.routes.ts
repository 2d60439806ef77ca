import { metaOf } from '#command/engine/request-meta.ts';
import {
  simulateCallbackResponse,
  simulateCallbackBody,
  simulateCallbackParams,
  type SimulatedData,
} from '#contracts/callbacks.contract.ts';
import { admin, ok, route, type Route } from '#http/route.ts';
import { newId } from '#kernel/ids.ts';
import { invalidRequest, Rejection } from '#kernel/rejection.ts';
import type { PaymentCallback } from '#ports/payment-callback.ts';
import { isAmountIn, toMinor } from '#values/money.ts';
import type { ProviderCallbacks } from './provider-callbacks.actions.ts';
import type { CallbackOutcome } from './handle-callback.ts';

type Told = Readonly<Record<CallbackOutcome, readonly [isDone: boolean, message: string]>>;

const told: Told = {
  recorded: [true, 'The event was recorded on its invoice.'],
  known: [true, 'The invoice knows of this already.'],
  'owed-back': [true, 'The payment was recorded. Nothing was due, so it is owed back.'],
  'refund-failed': [true, 'The refund has failed. Its money is owed to the customer.'],
  contradicted: [true, 'It contradicts what was recorded: that stays, and staff are told'],
  'other-currency': [true, 'The event is in another currency than the invoice. A note was added.'],
  noted: [true, 'A note was added to the invoice.'],
  incomplete: [false, 'The event lacks a transaction, an amount, a dispute or an outcome.'],
  unmatched: [false, 'No invoice was found for the event.'],
  parked: [true, 'The event came before its payment, and waits for it.'],
  ignored: [true, 'The shop has no use for events of this type.'],
};

const minorOf = ({ amount, currency }: SimulatedData): number | null => {
  if (amount === undefined || amount === null) return null;
  if (!currency) throw invalidRequest('currency: must be the currency of the amount');
  if (!isAmountIn(amount, currency))
    throw invalidRequest(`amount: must be an amount with the decimals of ${currency}`);
  return toMinor(amount, currency);
};

const eventOf = (eventId: string, type: PaymentCallback['type'], data: SimulatedData): PaymentCallback => {
  const { riskScore, riskScoreSource } = data;
  return {
    eventId,
    type,
    transactionId: data.transactionId ?? null,
    invoiceId: data.invoiceId ?? null,
    sessionId: data.sessionId ?? null,
    amountMinor: minorOf(data),
    currency: data.currency ?? null,
    reason: data.reason ?? null,
    refundId: data.refundId ?? null,
    disputeId: data.disputeId ?? null,
    disputeOutcome: data.outcome ?? null,
    risk:
      typeof riskScore === 'number' ? { score: riskScore, source: riskScoreSource ?? 'simulation' } : null,
    settlement: null,
  };
};

/** An event of a provider without its provider (docs/rules/payment-callbacks.md#simulation). */
export const simulateCallbackRoute = (
  callbacks: Pick<ProviderCallbacks, 'simulate'>,
  isProduction: boolean,
): Route =>
  route({
    base: 'management',
    service: 'command',
    caller: admin,
    file: import.meta.url,
    method: 'POST',
    path: '/payment-providers/{alias}/simulate-webhook',
    summary: 'Try out what an event of a provider would do; it does it',
    schemas: { params: simulateCallbackParams, body: simulateCallbackBody },
    response: simulateCallbackResponse,
    errors: ['not-found', 'invalid-request', 'callback-under-way', 'too-busy', 'provider-unavailable'],
    handle: async (request) => {
      const { alias } = request.params;
      if (isProduction && alias !== 'sandbox')
        throw new Rejection('invalid-request', 'In production only the sandbox can be simulated.');
      const { eventType, eventId, customPayload, ...fields } = request.body;
      const given = Object.entries({ ...fields, ...customPayload });
      const data: SimulatedData = Object.fromEntries(given.filter(([, value]) => value !== undefined));
      const event = eventOf(eventId ?? `simulated-${newId()}`, eventType, data);
      const done = await callbacks.simulate(alias, event, metaOf(request));
      const [isDone, message] = done.isRepeat
        ? ([true, 'The event had been processed before.'] as const)
        : told[done.outcome as CallbackOutcome];
      return ok({
        success: isDone,
        eventTypeDetected: done.eventType,
        actionsPerformed: isDone ? [message] : [],
        payload: JSON.stringify({ id: event.eventId, type: eventType, data }),
        errorMessage: isDone ? null : message,
      });
    },
  });
