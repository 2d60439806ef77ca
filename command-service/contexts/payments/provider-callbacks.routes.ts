import { metaOf } from '#command/engine/request-meta.ts';
import { callbackAnswer, callbackParams } from '#contracts/callbacks.contract.ts';
import { countedAddress, tooManyRequests, type RateLimit } from '#http/rate-limit.ts';
import { anyone, ok, route, type Route, type RouteRequest } from '#http/route.ts';
import type { ProviderCallbacks } from './provider-callbacks.actions.ts';

export interface CallbackTempo {
  /** A window of a minute on the shop's clock. */
  readonly limit: RateLimit;
  /** Of a provider and an address; 0: none. */
  readonly perMinute: number;
}

/** Counted before anything else is looked at (docs/rules/payment-callbacks.md#limits). */
const checkTempo = async (
  { limit, perMinute }: CallbackTempo,
  alias: string,
  request: RouteRequest,
): Promise<void> => {
  if (perMinute === 0 || request.ip === '') return;
  const { key, limit: most } = countedAddress(request, perMinute);
  const taken = await limit.take(`${alias} ${key}`, most);
  if (!taken.isTaken) throw tooManyRequests('Too many requests.', taken.retryAfterSeconds);
};

const noBytes = Buffer.alloc(0);

/** Only the provider's signature says who it is: whoever asks is nobody in particular. */
const metaOfProvider = (alias: string, request: RouteRequest) => ({
  ...metaOf(request),
  actor: { kind: 'system', id: alias } as const,
});

/** Where providers call the shop (docs/rules/payment-callbacks.md). */
export const providerCallbackRoutes = (
  callbacks: Pick<ProviderCallbacks, 'receive'>,
  tempo: CallbackTempo,
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
    answer: callbackAnswer,
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
      await checkTempo(tempo, providerAlias, request);
      const { rawBody: body = noBytes, headers } = request;
      const meta = metaOfProvider(providerAlias, request);
      const done = await callbacks.receive(providerAlias, { body, headers }, meta);
      if (done.isRepeat) return ok({ message: 'Already processed' });
      if (done.outcome === 'ignored') return ok({ message: 'Ignored' });
      return ok({ message: 'Webhook processed', eventType: done.eventType });
    },
  }),
];
