import { z } from 'zod';
import type { AddressLookup, AddressLookupConfiguration } from '#ports/address-lookup.ts';
import { providerField } from '#values/provider-field.ts';
import { addressBelow, fetchJson, NotFetched, type CheckAddress, type Limits } from '#runtime/fetch-json.ts';

export interface HttpAddressLookupOptions {
  /** Says whether an address may be called, and which IP addresses are meant by it. */
  readonly check: CheckAddress;
  /** What the configuration says; null: what the backoffice has set. */
  readonly url: string | null;
  /** Default: 2 s and 64 KiB. */
  readonly limits?: Limits;
}

const usual: Limits = { timeoutMs: 2000, maxBytes: 65_536 };

const short = z.string().trim().max(250);
const optional = short.nullish().transform((text) => text || null);

const suggestionsResponse = z.object({
  suggestions: z
    .array(z.object({ id: z.string().min(1).max(500), label: short, description: short.default('') }))
    .max(1000),
});

const addressResponse = z.object({
  address: z.object({
    company: optional,
    addressOne: short,
    addressTwo: optional,
    townCity: short,
    countyState: optional,
    regionCode: optional,
    postalCode: short,
    countryCode: optional,
  }),
});

const read = <Answer>(schema: z.ZodType<Answer>, answer: unknown): Answer => {
  const { success, data } = schema.safeParse(answer);
  if (!success) throw new NotFetched('its answer is not what was agreed');
  return data;
};

/** Failures become a result; `missing` is what a 404 means. */
const orFailed = async <Result, Missing>(
  ask: () => Promise<Result>,
  missing: Missing,
): Promise<Result | Missing | { readonly kind: 'failed'; readonly reason: string }> => {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof NotFetched)) throw error;
    return error.status === 404 ? missing : { kind: 'failed', reason: error.message };
  }
};

/** Services take their keys in it. */
const urlField = providerField('url', 'Address of the service', 'text', { isRequired: true, isSecret: true });

/** Addresses over HTTP, from a service that speaks as docs/rules/address-lookup.md#over-http says. */
export const httpAddressLookup = ({
  check,
  url,
  limits = usual,
}: HttpAddressLookupOptions): AddressLookup => {
  const get = (
    configuration: AddressLookupConfiguration,
    path: string,
    query: Readonly<Record<string, string | null>>,
  ): Promise<unknown> =>
    fetchJson(addressBelow(url ?? configuration['url'] ?? '', path, query), check, limits);
  return {
    alias: 'http',
    displayName: 'A service over HTTP',
    description: 'Asks a service of your own, or one in front of a vendor’s.',
    supportedCountries: null,
    fields: url === null ? [urlField] : [],
    problems: async (configuration) => {
      if (url !== null) return [];
      const checked = await check(configuration['url'] ?? '');
      return checked.kind === 'refused' ? [`url: ${checked.reason}`] : [];
    },
    suggest: ({ query, countryCode, limit, sessionId }, configuration) =>
      orFailed(
        async () => {
          const wanted = { query, countryCode, limit: String(limit), sessionId };
          const { suggestions } = read(suggestionsResponse, await get(configuration, '/suggestions', wanted));
          return { kind: 'suggested' as const, suggestions: suggestions.slice(0, limit) };
        },
        { kind: 'failed' as const, reason: 'it answered 404' },
      ),
    resolve: ({ id, countryCode, sessionId }, configuration) =>
      orFailed(
        async () => {
          const path = `/addresses/${encodeURIComponent(id)}`;
          const { address } = read(
            addressResponse,
            await get(configuration, path, { countryCode, sessionId }),
          );
          return { kind: 'found' as const, address };
        },
        { kind: 'unknown' as const },
      ),
  };
};
