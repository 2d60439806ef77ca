import { metaOf } from '#command/engine/request-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { paymentReturnResponse, paymentReturnQuery, gaveUpResponse } from '#contracts/checkout.contract.ts';
import { pageWith, sentOn } from '#http/sent-on.ts';
import type { RateLimit, RateLimits } from '#http/rate-limit.ts';
import { ok, route, visitor, type Route, type RouteRequest } from '#http/route.ts';
import type { ReturnHosts } from '#values/return-address.ts';
import type { PaymentReturnResult, PaymentReturn, PaymentReturnActions } from './payment-return.ts';
import { pageAfter, paidReply } from '../charging/paid-reply.ts';
import { hasBought } from '../charging/payment-outcome.ts';
import { attemptResponse } from '../payments.response.ts';
import { countAsk } from '../providers/asks-by-address.ts';
import { stillAllowed } from './return-pages.ts';

const file = import.meta.url;
const common = { base: 'checkout', service: 'command', caller: visitor, file } as const;

export interface PaymentReturnRouteDeps extends Pick<CommandDeps, 'settings' | 'clock' | 'keyedHash'> {
  readonly paymentReturns: PaymentReturnActions;
  readonly limits: RateLimits;
  readonly returnHosts: ReturnHosts;
}

interface CountedDeps extends PaymentReturnRouteDeps {
  readonly unknown: RateLimit;
}

type ReturningRequest = RouteRequest<unknown, Record<string, unknown>>;

/** What came once, as text: it goes to the provider. */
const backOf = (unknown: RateLimit, request: ReturningRequest): PaymentReturn => {
  const given = Object.entries(request.query).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  const parameters = Object.fromEntries(given);
  const { provider, invoiceId, sessionId, transactionId } = parameters;
  return {
    provider,
    invoiceId,
    sessionId,
    transactionId,
    parameters,
    // Payers whose session the shop knows are not counted.
    toAskUnknown: () => countAsk(unknown, request),
  };
};

const returnRoute = ({ paymentReturns, unknown, returnHosts, ...deps }: CountedDeps): Route =>
  route({
    ...common,
    method: 'GET',
    path: '/return',
    summary: 'Complete a payment whose payer is back from the provider',
    schemas: { query: paymentReturnQuery },
    response: paymentReturnResponse,
    errors: ['invalid-request', 'payment-not-found', 'provider-unavailable', 'too-many-requests'],
    sendsBrowsersOn: true,
    handle: async (request) => {
      const came = await paymentReturns.completeReturn(
        request.basketId,
        backOf(unknown, request),
        metaOf(request),
      );
      const { paid, outcome, session, isOwner } = came;
      const { invoiceId, position } = paid;
      const { success, code, message, paymentId, status } = responseOf(came);
      const answer = { success, code, message, invoiceId, paymentId, status };
      const isBuyer = isOwner && hasBought(outcome);
      const reply = isBuyer ? paidReply(deps, paid, invoiceId, answer) : ok(answer, { position });
      const own = success ? pageAfter(invoiceId, paid.invoice) : '/checkout';
      const page = stillAllowed(session?.returnUrl, returnHosts) ?? own;
      return sentOn(request, reply, pageWith(page, { invoiceId, status }));
    },
  });

/** A payer who has come back before their provider knows anything waits for it: they have nothing left to do. */
const responseOf = ({ paid: { invoiceId }, outcome }: PaymentReturnResult) =>
  outcome.kind === 'requiresAction'
    ? attemptResponse(invoiceId, { kind: 'pending', transactionId: null })
    : attemptResponse(invoiceId, outcome);

const cancelRoute = ({ paymentReturns, unknown, returnHosts }: CountedDeps): Route =>
  route({
    ...common,
    method: 'GET',
    path: '/cancel',
    summary: 'Give a payment up; its invoice stays payable',
    schemas: { query: paymentReturnQuery },
    response: gaveUpResponse,
    errors: [
      'invalid-request',
      'payment-not-found',
      'not-yours',
      'invoice-not-found',
      'too-many-requests',
      'provider-unavailable',
    ],
    sendsBrowsersOn: true,
    handle: async (request) => {
      const came = await paymentReturns.giveUp(request.basketId, backOf(unknown, request), metaOf(request));
      const { paid, outcome, session } = came;
      const { invoiceId, position } = paid;
      const { code, message, status } = responseOf(came);
      const isPaid = hasBought(outcome);
      const answer = {
        success: false,
        code: isPaid ? 'invoice-already-paid' : code,
        message: isPaid ? 'This payment is complete already.' : message,
        invoiceId,
      };
      const page = stillAllowed(session?.cancelUrl, returnHosts) ?? '/checkout';
      return sentOn(request, ok(answer, { position }), pageWith(page, { invoiceId, status }));
    },
  });

/** Payers who come back from a provider (docs/rules/payment-sessions.md#coming-back). */
export const paymentReturnRoutes = (deps: PaymentReturnRouteDeps): readonly Route[] => {
  const counted = { ...deps, unknown: deps.limits.perWindow('unknown payment', 60) };
  return [returnRoute(counted), cancelRoute(counted)];
};
