import {
  lookupConfigResponse,
  resolveResponse,
  resolveBody,
  suggestionsResponse,
  suggestionsBody,
} from '#contracts/address-lookup.contract.ts';
import {
  countedAddress,
  tooManyRequests,
  type Caller,
  type RateLimit,
  type RateLimits,
} from '#http/rate-limit.ts';
import { anyone, ok, route, type Route } from '#http/route.ts';
import { MIN_QUERY_LENGTH, type AddressLookupActions, type LookupResult } from './address-lookup.actions.ts';

export interface AddressLookupRouteDeps {
  readonly actions: AddressLookupActions;
  readonly limits: RateLimits;
  /** From one client address. */
  readonly perMinute: { readonly suggestions: number; readonly resolves: number };
}

const common = { base: 'checkout', service: 'command', caller: anyone, file: import.meta.url } as const;
const path = '/address-lookup';

const usualSuggestions = 6;
const MOST_SUGGESTIONS = 20;

/** Counts a request that could be read. Errors: `too-many-requests`, `EngineUnavailable`. */
const count = async (window: RateLimit, caller: Caller, perMinute: number): Promise<void> => {
  const taken = await window.take(countedAddress(caller), perMinute);
  if (taken.isTaken) return;
  const errorMessage = 'Too many addresses were looked up. Wait a minute, or type yours.';
  throw tooManyRequests(errorMessage, taken.retryAfterSeconds, { errorMessage });
};

const countryCodeOf = (given: string | null | undefined): string | null =>
  given?.trim().toUpperCase() || null;
const sessionIdOf = (given: string | null | undefined): string | null => given?.trim() || null;

/** What a response says beside what was found. */
const outcomeOf = (asked: LookupResult<object>) => {
  const { code, errorMessage } = asked.success ? { code: null, errorMessage: null } : asked;
  return { code, message: errorMessage ?? '', errorMessage };
};

const configRoute = (actions: AddressLookupActions): Route =>
  route({
    ...common,
    method: 'GET',
    path: `${path}/config`,
    summary: 'Whether addresses can be looked up, and how',
    response: lookupConfigResponse,
    handle: () => {
      const provider = actions.active();
      return Promise.resolve(
        ok({
          isEnabled: provider !== undefined,
          providerAlias: provider?.alias ?? null,
          providerName: provider?.displayName ?? null,
          providerDescription: provider?.description ?? null,
          supportedCountries: provider?.supportedCountries ?? null,
          minQueryLength: MIN_QUERY_LENGTH,
          maxSuggestions: usualSuggestions,
        }),
      );
    },
  });

/** Addresses that shoppers need not type (docs/rules/address-lookup.md). */
export const addressLookupRoutes = ({
  actions,
  limits,
  perMinute,
}: AddressLookupRouteDeps): readonly Route[] => {
  const suggestions = limits.perWindow('address suggestions', 60);
  const resolves = limits.perWindow('address resolves', 60);
  return [
    configRoute(actions),
    route({
      ...common,
      method: 'POST',
      path: `${path}/suggestions`,
      summary: 'Addresses that begin like this',
      schemas: { body: suggestionsBody },
      response: suggestionsResponse,
      errors: ['invalid-request', 'too-many-requests'],
      handle: async (request) => {
        const { body } = request;
        await count(suggestions, request, perMinute.suggestions);
        const { query, countryCode, limit, sessionId } = body;
        const asked = await actions.suggest({
          query,
          countryCode: countryCodeOf(countryCode),
          limit: Math.min(limit && limit > 0 ? limit : usualSuggestions, MOST_SUGGESTIONS),
          sessionId: sessionIdOf(sessionId),
        });
        const { success } = asked;
        const found = success ? asked.suggestions : [];
        return ok({ success, ...outcomeOf(asked), suggestions: found });
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: `${path}/resolve`,
      summary: 'The address that a suggestion stands for',
      schemas: { body: resolveBody },
      response: resolveResponse,
      errors: ['invalid-request', 'too-many-requests'],
      handle: async (request) => {
        const { body } = request;
        await count(resolves, request, perMinute.resolves);
        const asked = await actions.resolve({
          id: body.id,
          countryCode: countryCodeOf(body.countryCode),
          sessionId: sessionIdOf(body.sessionId),
        });
        const { success } = asked;
        const address = success ? asked.address : null;
        return ok({ success, ...outcomeOf(asked), address });
      },
    }),
  ];
};
