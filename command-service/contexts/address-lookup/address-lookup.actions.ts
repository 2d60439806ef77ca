import type { Logger } from 'pino';
import { createProviderActions } from '#command/engine/provider.actions.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { addressLookupProviders } from '#entities/address-lookup.providers.ts';
import type {
  AddressLookup,
  AddressQuery,
  AddressSuggestion,
  LookedUpAddress,
} from '#ports/address-lookup.ts';
import { countryName, findRegion, isCountry } from '#values/region.ts';
import { addressLookupStream } from './address-lookup.stream.ts';

/** An address with the names of its country and region, where there are any. */
interface CompleteAddress extends LookedUpAddress {
  readonly country: string | null;
}

/** What a provider left out, from the country that was asked for and the catalogue of countries and regions. */
const completedAddress = (address: LookedUpAddress, askedCountryCode: string | null): CompleteAddress => {
  const countryCode = (address.countryCode ?? askedCountryCode)?.toUpperCase() ?? null;
  if (countryCode === null || !isCountry(countryCode)) return { ...address, countryCode, country: null };
  const named = address.regionCode ?? address.countyState;
  const region = named === null ? null : findRegion(countryCode, named);
  return {
    ...address,
    countryCode,
    country: countryName(countryCode),
    regionCode: region?.regionCode ?? address.regionCode,
    countyState: address.countyState ?? region?.name ?? null,
  };
};

export interface AddressLookupDeps extends Pick<CommandDeps, 'reference' | 'streams'> {
  /** Every provider that can be asked. */
  readonly addressLookups: readonly AddressLookup[];
  /** The one that the configuration names; null: the backoffice chooses. */
  readonly namedProvider: string | null;
  readonly reach: (position?: number) => Promise<void>;
  readonly log: Pick<Logger, 'warn'>;
}

interface NoLookup {
  readonly success: false;
  readonly code: string;
  /** For shoppers. */
  readonly errorMessage: string;
}

/** What came of a question. */
export type LookupResult<Answer> = ({ readonly success: true } & Answer) | NoLookup;

const trial: AddressQuery = { query: '10 Downing', countryCode: 'GB', limit: 1, sessionId: null };

const none = (code: string, errorMessage: string): NoLookup => ({ success: false, code, errorMessage });

const notOffered = none('not-offered', 'This shop has no address lookup.');
const failed = none(
  'provider-unavailable',
  'Addresses cannot be looked up at the moment. Please type yours.',
);

/** Why a provider is not asked for this country, or null. */
const countryProblem = (
  { supportedCountries }: AddressLookup,
  countryCode: string | null,
): NoLookup | null => {
  if (supportedCountries === null || supportedCountries.length === 0 || supportedCountries.includes('*'))
    return null;
  if (countryCode === null) return none('invalid-request', 'Choose a country first.');
  if (supportedCountries.includes(countryCode)) return null;
  return none('not-offered', 'Addresses of this country cannot be looked up.');
};

/** What shoppers ask (docs/rules/address-lookup.md). */
export const createAddressLookupActions = (deps: AddressLookupDeps) => {
  const { reference, addressLookups: providers, log } = deps;
  const { active, configurationOf, find, managed } = createProviderActions({
    ...deps,
    kind: addressLookupProviders,
    stream: addressLookupStream,
    providers,
    current: reference.addressLookups.current,
    describe: ({ alias, displayName, description }) => ({ alias, displayName, description }),
  });
  const tell = ({ alias }: AddressLookup, reason: string): NoLookup => {
    log.warn({ provider: alias, reason }, 'the address lookup failed');
    return failed;
  };
  return {
    active,
    managed: {
      ...managed,
      /** Asks a provider as it is set, and changes nothing. Null: it answers. */
      test: async (alias: string): Promise<string | null> => {
        const provider = find(alias);
        const found = await provider.suggest(trial, configurationOf(provider));
        return found.kind === 'failed' ? found.reason : null;
      },
    },
    suggest: async (
      wanted: Parameters<AddressLookup['suggest']>[0],
    ): Promise<LookupResult<{ readonly suggestions: readonly AddressSuggestion[] }>> => {
      const provider = active();
      if (!provider) return notOffered;
      const problem = countryProblem(provider, wanted.countryCode);
      if (problem) return problem;
      if (wanted.query.length < MIN_QUERY_LENGTH) return { success: true, suggestions: [] };
      const found = await provider.suggest(wanted, configurationOf(provider));
      if (found.kind === 'failed') return tell(provider, found.reason);
      return { success: true, suggestions: found.suggestions };
    },
    resolve: async (
      wanted: Parameters<AddressLookup['resolve']>[0],
    ): Promise<LookupResult<{ readonly address: CompleteAddress }>> => {
      const provider = active();
      if (!provider) return notOffered;
      const found = await provider.resolve(wanted, configurationOf(provider));
      if (found.kind === 'failed') return tell(provider, found.reason);
      if (found.kind === 'unknown') return none('entity-not-found', 'There is no such address.');
      return { success: true, address: completedAddress(found.address, wanted.countryCode) };
    },
  };
};

/** Texts shorter than this suggest nothing: everything would do. */
export const MIN_QUERY_LENGTH = 3;

export type AddressLookupActions = ReturnType<typeof createAddressLookupActions>;
