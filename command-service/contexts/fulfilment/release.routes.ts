import { metaOf } from '#command/engine/request-meta.ts';
import { orderParams, releaseResponse, submitResponse } from '#contracts/fulfilment.contract.ts';
import { admin, ok, route, type Route } from '#http/route.ts';
import type { Submissions, Submitted } from './submissions.ts';

const common = {
  base: 'management',
  service: 'command',
  method: 'POST',
  caller: admin,
  file: import.meta.url,
  schemas: { params: orderParams },
  errors: ['entity-not-found', 'invalid-request', 'cancelled'],
} as const;

const messageOf = ({ fulfilment, isNews }: Submitted, who: 'provider' | 'supplier'): string => {
  if (!fulfilment) return 'No provider has been asked to send the order.';
  if (fulfilment.reference !== null)
    return isNews ? `The order is with its ${who}.` : `The order was with its ${who} already.`;
  if (fulfilment.isUnderWay) return 'The order is being submitted.';
  return `The ${who} has not taken the order yet: ${fulfilment.errorMessage ?? 'no reason given'}.`;
};

const referenceOf = ({ fulfilment }: Submitted): string | null => fulfilment?.reference ?? null;

/** Staff release orders to suppliers (docs/rules/fulfilment.md#release). */
const releaseRoute = (submissions: Pick<Submissions, 'release'>): Route =>
  route({
    ...common,
    path: '/orders/{orderId}/fulfillment/release',
    summary: 'Let an order go to its supplier',
    response: releaseResponse,
    handle: async (request) => {
      const { orderId } = request.params;
      const submitted = await submissions.release(orderId, metaOf(request));
      const answer = {
        orderId,
        released: submitted.isNews,
        alreadyReleased: !submitted.isNews,
        message: messageOf(submitted, 'supplier'),
        fulfilmentProviderReference: referenceOf(submitted),
      };
      return ok(answer, { position: submitted.position });
    },
  });

/** Staff submit an order at once (docs/rules/fulfilment.md#by-hand). */
const submitRoute = (submissions: Pick<Submissions, 'submitNow'>): Route =>
  route({
    ...common,
    path: '/orders/{orderId}/fulfillment/submit',
    summary: 'Ask the provider of an order to send it, now',
    response: submitResponse,
    handle: async (request) => {
      const { orderId } = request.params;
      const submitted = await submissions.submitNow(orderId, metaOf(request));
      const answer = {
        orderId,
        submitted: submitted.isNews && referenceOf(submitted) !== null,
        message: messageOf(submitted, 'provider'),
        fulfilmentProviderReference: referenceOf(submitted),
      };
      return ok(answer, { position: submitted.position });
    },
  });

export const submissionRoutes = (
  submissions: Pick<Submissions, 'release' | 'submitNow'>,
): readonly Route[] => [releaseRoute(submissions), submitRoute(submissions)];
