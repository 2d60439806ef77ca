import { chosenProviders } from '#command/engine/chosen-providers.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import { readConfiguration } from '#command/engine/provider-configuration.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { refuseProblems } from '#kernel/entity.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { AddressLookup, AddressLookupConfiguration } from '#ports/address-lookup.ts';
import type { AddressLookupActions, AddressLookupDeps } from './address-lookup.actions.ts';
import type { AddressLookupCommand } from './address-lookup.decider.ts';
import { ADDRESS_LOOKUPS, addressLookupStream } from './address-lookup.stream.ts';

export interface LookupProviderDeps
  extends Pick<AddressLookupDeps, 'addressLookups' | 'namedProvider'>, Pick<CommandDeps, 'streams'> {
  readonly asking: AddressLookupActions;
  readonly reach: (position?: number) => Promise<void>;
}

/** A provider as the backoffice sees it. Secrets are `***`. */
export interface AddressLookupInShop {
  readonly alias: string;
  readonly displayName: string;
  readonly description: string;
  readonly isActive: boolean;
  readonly configuration: AddressLookupConfiguration;
}

/** Stands in place of a provider: no provider is asked. */
const nobody = 'none';
const hidden = '***';

const masked = ({ fields }: AddressLookup, configuration: AddressLookupConfiguration) =>
  Object.fromEntries(
    Object.entries(configuration).map(([key, value]) => [
      key,
      fields.find((field) => field.key === key)?.isSecret ? hidden : value,
    ]),
  );

/** What a provider is to be set to; a secret that comes masked stays as it was. */
const readSettings = async (
  provider: AddressLookup,
  given: Readonly<Record<string, unknown>>,
  before: AddressLookupConfiguration,
): Promise<AddressLookupConfiguration> => {
  const meant: Readonly<Record<string, unknown>> = Object.fromEntries(
    Object.entries(given).map(([key, value]) => [key, value === hidden ? before[key] : value]),
  );
  const read = readConfiguration(provider.fields, meant);
  const configuration = Object.fromEntries(Object.entries(read).map(([key, value]) => [key, String(value)]));
  const problems = await provider.problems(configuration);
  refuseProblems(problems.map((problem) => `configuration.${problem}`));
  return configuration;
};

/**
 * Who is asked for addresses (docs/rules/address-lookup.md#providers).
 * Errors: Rejection `entity-not-found`, `setting-fixed`.
 */
export const createLookupProviderActions = (deps: LookupProviderDeps) => {
  const { streams, addressLookups, namedProvider, reach, asking } = deps;
  const { activeAlias, configurationOf } = asking;
  const inShop = (provider: AddressLookup): AddressLookupInShop => ({
    alias: provider.alias,
    displayName: provider.displayName,
    description: provider.description,
    isActive: provider.alias === activeAlias(),
    configuration: masked(provider, configurationOf(provider.alias)),
  });
  const { find, refuseFixed, list, fields } = chosenProviders({
    providers: addressLookups,
    noun: 'address lookup provider',
    setting: 'AddressLookup.Provider',
    named: namedProvider,
    inShop,
  });
  const send = async (provider: AddressLookup, command: AddressLookupCommand, meta: CommandMeta) => {
    const { position } = await streams.send(addressLookupStream, ADDRESS_LOOKUPS, command, meta);
    await reach(position);
    return { provider: inShop(provider), position };
  };
  const choose = (provider: AddressLookup, alias: string, meta: CommandMeta) => {
    refuseFixed(alias);
    return send(provider, { type: 'ChooseAddressLookup', provider: alias }, meta);
  };
  return {
    list,
    active: (): AddressLookupInShop => {
      const provider = asking.active();
      if (!provider) throw new Rejection('entity-not-found', 'No address lookup provider is active.');
      return inShop(provider);
    },
    fields,
    activate: (alias: string, meta: CommandMeta) => {
      const provider = find(alias);
      return choose(provider, provider.alias, meta);
    },
    /** Stops asking this provider. */
    deactivate: (alias: string, meta: CommandMeta) => {
      const provider = find(alias);
      if (provider.alias !== activeAlias())
        return Promise.resolve({ provider: inShop(provider), position: 0 });
      return choose(provider, nobody, meta);
    },
    configure: async (alias: string, given: Readonly<Record<string, unknown>>, meta: CommandMeta) => {
      const provider = find(alias);
      const configuration = await readSettings(provider, given, configurationOf(provider.alias));
      const command = { type: 'ConfigureAddressLookup', provider: provider.alias, configuration } as const;
      return send(provider, command, meta);
    },
    /** Asks a provider as it is set, and changes nothing. Null: it answers. */
    test: async (alias: string): Promise<string | null> => {
      const provider = find(alias);
      const query = { query: '10 Downing', countryCode: 'GB', limit: 1, sessionId: null };
      const found = await provider.suggest(query, configurationOf(provider.alias));
      return found.kind === 'failed' ? found.reason : null;
    },
  };
};

export type LookupProviderActions = ReturnType<typeof createLookupProviderActions>;
