import type { Logger } from 'pino';
import { chosenProviders } from '#command/engine/chosen-providers.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import { readConfiguration } from '#command/engine/provider-configuration.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { TaxConfiguration, TaxProvider, TaxRequest } from '#ports/tax-provider.ts';
import { askTaxProvider } from '#runtime/ask-tax-provider.ts';
import type { TaxesApi, TaxProviderCommand } from './tax.commands.ts';
import { TAX_PROVIDERS, taxProvidersStream } from './tax-providers.stream.ts';

export interface TaxProviderDeps extends Pick<CommandDeps, 'streams' | 'reference' | 'settings'> {
  /** Every provider that there is an adapter for. */
  readonly taxProviders: readonly TaxProvider[];
  /** The one that the configuration names; null: the backoffice chooses. */
  readonly namedProvider: string | null;
  readonly reach: (position?: number) => Promise<void>;
  readonly log: Pick<Logger, 'warn'>;
}

/** A provider as the backoffice sees it. */
export interface TaxProviderInShop {
  readonly alias: string;
  readonly displayName: string;
  readonly isActive: boolean;
  readonly configuration: TaxConfiguration;
}

/** A line of one hundred units, for a provider that is tried out. */
const trial = (currency: string): TaxRequest => ({
  reference: 'test',
  isFinal: false,
  currency,
  address: {
    addressOne: '1 Main Street',
    townCity: 'Springfield',
    regionCode: null,
    postalCode: '00000',
    countryCode: 'US',
  },
  lines: [{ lineItemId: 'line', sku: 'TEST', quantity: 1, amount: 10_000, isTaxable: true }],
  shipping: 1000,
});

/** Who says what tax is due (docs/rules/tax.md#providers). Errors: Rejection `entity-not-found`, `setting-fixed`. */
export const createTaxProviderActions = (deps: TaxProviderDeps) => {
  const { streams, reference, settings, taxProviders, namedProvider, reach, log } = deps;
  const activeAlias = (): string => namedProvider ?? reference.taxProviders.current().provider ?? 'manual';
  const configurationOf = (alias: string): TaxConfiguration =>
    reference.taxProviders.current().configurations[alias] ?? {};
  const inShop = ({ alias, displayName }: TaxProvider): TaxProviderInShop => ({
    alias,
    displayName,
    isActive: alias === activeAlias(),
    configuration: configurationOf(alias),
  });
  const { find, refuseFixed, list, fields } = chosenProviders({
    providers: taxProviders,
    noun: 'tax provider',
    setting: 'Tax.Provider',
    named: namedProvider,
    inShop,
  });
  const send = async (command: TaxProviderCommand, meta: CommandMeta) => {
    const { position } = await streams.send(taxProvidersStream, TAX_PROVIDERS, command, meta);
    await reach(position);
    return { provider: inShop(find(command.provider)), position };
  };
  const ask: TaxesApi['ask'] = async (request) => {
    const alias = activeAlias();
    const provider = taxProviders.find((one) => one.alias === alias);
    const asked = provider && (await askTaxProvider(provider, request, configurationOf(alias)));
    if (asked?.kind === 'answered') return asked.answer;
    const reason = asked?.reason ?? 'this release has no such provider';
    log.warn({ provider: alias, isFinal: request.isFinal, reason }, 'the provider of tax failed');
    return null;
  };
  return {
    ask,
    list,
    active: () => inShop(find(activeAlias())),
    fields,
    activate: (alias: string, meta: CommandMeta) => {
      const { alias: provider } = find(alias);
      refuseFixed(provider);
      return send({ type: 'ActivateTaxProvider', provider }, meta);
    },
    configure: (alias: string, given: Readonly<Record<string, unknown>>, meta: CommandMeta) => {
      const provider = find(alias);
      const configuration = readConfiguration(provider.fields, given);
      return send({ type: 'ConfigureTaxProvider', provider: provider.alias, configuration }, meta);
    },
    /** Asks a provider as it is set, and changes nothing. Null: it answers. */
    test: async (alias: string): Promise<string | null> => {
      const provider = find(alias);
      if (provider.calculate === null) return null;
      const request = trial(settings().storeCurrencyCode);
      const asked = await askTaxProvider(provider, request, configurationOf(provider.alias));
      return asked.kind === 'answered' ? null : asked.reason;
    },
  };
};

export type TaxProviderActions = ReturnType<typeof createTaxProviderActions>;
