import type { Logger } from 'pino';
import { createProviderActions } from '#command/engine/provider.actions.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { taxProviders } from '#entities/tax.providers.ts';
import type { TaxProvider, TaxRequest } from '#ports/tax-provider.ts';
import { askTaxProvider } from '#runtime/ask-tax-provider.ts';
import type { TaxesApi } from './tax.commands.ts';
import { taxProvidersStream } from './tax-providers.stream.ts';

export interface TaxProviderDeps extends Pick<CommandDeps, 'streams' | 'reference' | 'settings'> {
  /** Every provider that there is an adapter for. */
  readonly taxProviders: readonly TaxProvider[];
  /** The one that the configuration names; null: the backoffice chooses. */
  readonly namedProvider: string | null;
  readonly reach: (position?: number) => Promise<void>;
  readonly log: Pick<Logger, 'warn'>;
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
  const { reference, settings, log } = deps;
  const { activeAlias, active, configurationOf, find, managed } = createProviderActions({
    ...deps,
    kind: taxProviders,
    stream: taxProvidersStream,
    providers: deps.taxProviders,
    current: reference.taxProviders.current,
    describe: ({ alias, displayName }) => ({ alias, displayName }),
  });
  const ask: TaxesApi['ask'] = async (request) => {
    const provider = active();
    const asked = provider && (await askTaxProvider(provider, request, configurationOf(provider)));
    if (asked?.kind === 'answered') return asked.answer;
    const reason = asked?.reason ?? 'this release has no such provider';
    log.warn({ provider: activeAlias(), isFinal: request.isFinal, reason }, 'the provider of tax failed');
    return null;
  };
  return {
    ...managed,
    ask,
    /** Asks a provider as it is set, and changes nothing. Null: it answers. */
    test: async (alias: string): Promise<string | null> => {
      const provider = find(alias);
      if (provider.calculate === null) return null;
      const request = trial(settings().storeCurrencyCode);
      const asked = await askTaxProvider(provider, request, configurationOf(provider));
      return asked.kind === 'answered' ? null : asked.reason;
    },
  };
};

export type TaxProviderActions = ReturnType<typeof createTaxProviderActions>;
