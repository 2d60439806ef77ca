import { metaOf } from '#command/engine/request-meta.ts';
import { addressesBody, captureEmailBody, capturedResponse } from '#contracts/checkout.contract.ts';
import { tooManyRequests, type RateLimits } from '#http/rate-limit.ts';
import { ok, route, visitor, type Route, type RouteRequest } from '#http/route.ts';
import type { CheckoutActions } from '../checkout.actions.ts';

export interface CaptureRouteDeps {
  readonly actions: Pick<CheckoutActions, 'captureEmail' | 'captureAddress'>;
  readonly limits: RateLimits;
}

/** Per basket: nobody types faster, and each request may become an event in the log. */
const PER_MINUTE = 60;

const common = {
  base: 'checkout',
  service: 'command',
  caller: visitor,
  response: capturedResponse,
  file: import.meta.url,
} as const;

/** Shoppers who may not come to send their addresses (docs/rules/checkout.md#capture). */
export const captureRoutes = ({ actions, limits }: CaptureRouteDeps): readonly Route[] => {
  const captures = limits.perWindow('checkout capture', 60);
  const count = async ({ basketId }: Pick<RouteRequest, 'basketId'>): Promise<void> => {
    if (basketId === null) return;
    const taken = await captures.take(basketId, PER_MINUTE);
    if (taken.isTaken) return;
    const seconds = taken.retryAfterSeconds;
    throw tooManyRequests(`Too many attempts. Try again in ${seconds} s.`, seconds);
  };
  return [
    route({
      ...common,
      method: 'POST',
      path: '/capture-email',
      summary: 'Keep an e-mail address before the addresses are sent',
      schemas: { body: captureEmailBody },
      errors: ['basket-not-found', 'invalid-address', 'order-being-placed', 'too-many-requests'],
      handle: async (request) => {
        await count(request);
        const { position } = await actions.captureEmail(
          request.basketId,
          request.body.email,
          metaOf(request),
        );
        return ok({ success: true, message: '' }, { position });
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/capture-address',
      summary: 'Keep what has been typed of the addresses before they are sent',
      schemas: { body: addressesBody },
      errors: ['basket-not-found', 'order-being-placed', 'too-many-requests'],
      handle: async (request) => {
        await count(request);
        const { position } = await actions.captureAddress(request.basketId, request.body, metaOf(request));
        return ok({ success: true, message: '' }, { position });
      },
    }),
  ];
};
