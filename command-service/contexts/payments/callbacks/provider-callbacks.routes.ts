import { checkCallbackLimit, type CallbackLimit } from '#command/engine/callback-limit.ts';
import { metaOf } from '#command/engine/request-meta.ts';
import { callbackResponse, callbackParams } from '#contracts/callbacks.contract.ts';
import { anyone, ok, route, type Route, type RouteRequest } from '#http/route.ts';
import type { ProviderCallbacks } from './provider-callbacks.actions.ts';

const noBytes = Buffer.alloc(0);

/** Only the provider's signature identifies it: the request itself is anonymous. */
const metaOfProvider = (alias: string, request: RouteRequest) => ({
  ...metaOf(request),
  actor: { kind: 'system', id: alias } as const,
});

/** Where providers call the shop (docs/rules/payment-callbacks.md). */
export const providerCallbackRoutes = (
  callbacks: Pick<ProviderCallbacks, 'receive'>,
  throttle: CallbackLimit,
): readonly Route[] => [
  route({
    base: 'callbacks',
    service: 'command',
    caller: anyone,
    file: import.meta.url,
    method: 'POST',
    path: '/payments/{providerAlias}',
    summary: 'What a payment provider has to tell, in its own form and signed by it',
    schemas: { params: callbackParams },
    response: callbackResponse,
    errors: [
      'too-many-requests',
      'not-found',
      'invalid-request',
      'invalid-json',
      'body-too-large',
      'callback-under-way',
      'too-busy',
      'provider-unavailable',
    ],
    handle: async (request) => {
      const { providerAlias } = request.params;
      await checkCallbackLimit(throttle, providerAlias, request);
      const { rawBody: body = noBytes, headers } = request;
      const meta = metaOfProvider(providerAlias, request);
      const done = await callbacks.receive(providerAlias, { body, headers }, meta);
      if (done.isRepeat) return ok({ message: 'Already processed' });
      if (done.outcome === 'ignored') return ok({ message: 'Ignored' });
      return ok({ message: 'Webhook processed', eventType: done.eventType });
    },
  }),
];
