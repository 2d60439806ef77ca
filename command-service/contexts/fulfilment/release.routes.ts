import { metaOf } from '#command/engine/request-meta.ts';
import { orderParams, releaseAnswer } from '#contracts/fulfilment.contract.ts';
import { admin, ok, route, type Route } from '#http/route.ts';
import type { Submissions, Submitted } from './submissions.ts';

const messageOf = ({ fulfilment, isNews }: Submitted): string => {
  if (!fulfilment) return 'Nobody has been asked to send the order.';
  if (fulfilment.reference !== null)
    return isNews ? 'The order is with its supplier.' : 'The order was with its supplier already.';
  if (fulfilment.isUnderWay) return 'The order is being submitted.';
  return `The supplier has not taken the order yet: ${fulfilment.errorMessage ?? 'nobody knows why'}.`;
};

/** Staff let orders go to suppliers that wait for it (docs/rules/fulfilment.md#release). */
export const releaseRoute = (submissions: Pick<Submissions, 'release'>): Route =>
  route({
    base: 'management',
    service: 'command',
    caller: admin,
    file: import.meta.url,
    method: 'POST',
    path: '/orders/{orderId}/fulfillment/release',
    summary: 'Let an order go to its supplier',
    schemas: { params: orderParams },
    answer: releaseAnswer,
    errors: ['entity-not-found', 'invalid-request', 'cancelled'],
    handle: async (request) => {
      const { orderId } = request.params;
      const submitted = await submissions.release(orderId, metaOf(request));
      const reference = submitted.fulfilment?.reference ?? null;
      const answer = {
        orderId,
        released: submitted.isNews,
        alreadyReleased: !submitted.isNews,
        message: messageOf(submitted),
        fulfilmentProviderReference: reference,
      };
      return ok(answer, { position: submitted.position });
    },
  });
