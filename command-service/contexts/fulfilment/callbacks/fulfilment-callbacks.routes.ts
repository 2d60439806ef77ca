import { checkCallbackLimit, type CallbackLimit } from '#command/engine/callback-limit.ts';
import { metaOf } from '#command/engine/request-meta.ts';
import {
  fulfilmentCallbackResponse,
  providerKeyParams,
  simulateWebhookResponse,
  simulateWebhookBody,
} from '#contracts/fulfilment.contract.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { admin, anyone, ok, route, type Route } from '#http/route.ts';
import type { FulfilmentCallbacks } from './fulfilment-callbacks.actions.ts';

const noBytes = Buffer.alloc(0);

/** Where fulfilment providers call the shop (docs/rules/fulfilment.md#callbacks). */
const callbackRoute = (callbacks: FulfilmentCallbacks, throttle: CallbackLimit): Route =>
  route({
    base: 'callbacks',
    service: 'command',
    caller: anyone,
    file: import.meta.url,
    method: 'POST',
    path: '/fulfilment/{providerKey}',
    summary: 'What a fulfilment provider has to tell, in its own form and signed by it',
    schemas: { params: providerKeyParams },
    response: fulfilmentCallbackResponse,
    errors: [
      'too-many-requests',
      'not-found',
      'invalid-request',
      'invalid-json',
      'body-too-large',
      'callback-under-way',
      'payment-unknown',
    ],
    handle: async (request) => {
      const { providerKey } = request.params;
      await checkCallbackLimit(throttle, providerKey, request);
      const { rawBody: body = noBytes, headers } = request;
      const meta = { ...metaOf(request), actor: { kind: 'system', id: providerKey } as const };
      const { isRepeat, ...done } = await callbacks.receive(providerKey, { body, headers }, meta);
      return ok(isRepeat ? { message: 'Already processed' } : { message: 'Webhook processed', ...done });
    },
  });

const simulateRoute = (callbacks: FulfilmentCallbacks): Route =>
  route({
    base: 'management',
    service: 'command',
    caller: admin,
    file: import.meta.url,
    method: 'POST',
    path: '/fulfilment-providers/{id}/simulate-webhook',
    summary: 'Try out what a callback of a fulfilment provider would do; it does it',
    schemas: { params: entityParams, body: simulateWebhookBody },
    response: simulateWebhookResponse,
    errors: ['entity-not-found', 'invalid-request', 'payment-unknown'],
    handle: async (request) => {
      const { customPayload, ...update } = request.body;
      return ok(await callbacks.simulate(request.params.id, update, customPayload, metaOf(request)));
    },
  });

export const fulfilmentCallbackRoutes = (
  callbacks: FulfilmentCallbacks,
  throttle: CallbackLimit,
): readonly Route[] => [callbackRoute(callbacks, throttle), simulateRoute(callbacks)];
