import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import { exchangeRateProviders, type RatesView } from '#entities/exchange-rate.providers.ts';
import { isoInstant } from '#kernel/clock.ts';
import { refuseProblems } from '#kernel/entity.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { ExchangeRateProvider, FetchedRates } from '#ports/exchange-rate-provider.ts';
import { activeRateProvider } from '#values/exchange-rate-providers.ts';
import type { ExchangeRateCommand } from './exchange-rates.commands.ts';
import { exchangeRatesStream } from './exchange-rates.stream.ts';

const { id: RATES } = exchangeRateProviders;

/** The rates and their providers after a change. */
export interface ChangedRates {
  readonly view: RatesView;
  readonly position: number;
}

/** How asking the active provider went. */
export interface Refreshed {
  readonly provider: string;
  /** Null: the rates are in force. */
  readonly failure: string | null;
  readonly position: number;
}

export interface RateProviderDeps extends Pick<CommandDeps, 'streams' | 'settings' | 'clock'> {
  /** Every provider that there is an adapter for. */
  readonly providers: readonly ExchangeRateProvider[];
  /** The one that the configuration names; null: the backoffice chooses. */
  readonly namedProvider: string | null;
  /** Fields of providers that the configuration gives, as `frankfurter.url`. */
  readonly fixedFields: readonly string[];
}

const noAdapter = (alias: string): FetchedRates => ({
  kind: 'failed',
  reason: `this release cannot ask ${alias}`,
});

/** What the shop's configuration gives, and where the shop may not connect to, is not for the backoffice to set. */
const refuseSettings = async (
  { providers, fixedFields }: RateProviderDeps,
  provider: string,
  configuration: Readonly<Record<string, unknown>>,
): Promise<void> => {
  const fixed = Object.keys(configuration).find((field) => fixedFields.includes(`${provider}.${field}`));
  if (fixed !== undefined) {
    const message = `configuration.${fixed}: the configuration of the shop gives it. Change it there.`;
    throw new Rejection('setting-fixed', message);
  }
  const adapter = providers.find((one) => one.alias === provider);
  const problems = (await adapter?.problems(configuration)) ?? [];
  refuseProblems(problems.map((problem) => `configuration.${problem}`));
};

/** Where exchange rates come from, and how they get into force. Errors: Rejection `setting-fixed`. */
export const createRateProviderActions = (deps: RateProviderDeps) => {
  const { streams, settings, clock, providers, namedProvider } = deps;

  const send = async (command: ExchangeRateCommand, meta: CommandMeta): Promise<ChangedRates> => {
    const { state, position } = await streams.send(exchangeRatesStream, RATES, command, meta);
    return { view: state, position };
  };
  const load = async (): Promise<RatesView> => (await streams.load(exchangeRatesStream, RATES)).state;
  const inStore = () => ({ baseCurrency: settings().storeCurrencyCode, namedProvider });

  const fetchFrom = (alias: string, view: RatesView): Promise<FetchedRates> => {
    const provider = providers.find((one) => one.alias === alias);
    const configuration = view.configurations[alias] ?? {};
    return provider
      ? provider.fetchRates(settings().storeCurrencyCode, configuration)
      : Promise.resolve(noAdapter(alias));
  };

  /** Asks the active provider. What goes wrong is recorded; the rates from before stay in force. */
  const refresh = async (meta: CommandMeta): Promise<Refreshed> => {
    const view = await load();
    const provider = activeRateProvider(namedProvider, view.provider);
    const asked = { provider, ...inStore() };
    const askedAt = isoInstant(clock.now());
    const fetched = await fetchFrom(provider, view);
    if (fetched.kind === 'failed') {
      const { reason } = fetched;
      const { position } = await send({ type: 'RecordFailedFetch', provider, reason, namedProvider }, meta);
      return { provider, failure: reason, position };
    }
    const { rates, quotedAt } = fetched;
    const record = { type: 'RecordRates', ...asked, rates, quotedAt, askedAt } as const;
    const { position } = await send(record, meta);
    return { provider, failure: null, position };
  };

  return {
    refresh,
    configure: async (
      provider: string,
      configuration: Readonly<Record<string, unknown>>,
      meta: CommandMeta,
    ): Promise<ChangedRates> => {
      await refuseSettings(deps, provider, configuration);
      return send({ type: 'ConfigureRateProvider', provider, configuration, ...inStore() }, meta);
    },

    /** For a store whose currency may only just have been fixed. */
    setManualRate: async (currency: string, rate: number, baseCurrency: string, meta: CommandMeta) => {
      const command = { type: 'SetManualRate', currency, rate, baseCurrency, namedProvider } as const;
      const { events } = await streams.send(exchangeRatesStream, RATES, command, meta);
      return { hasChanged: events.length > 0 };
    },

    /** From now on this provider is asked, and at once. */
    activate: async (provider: string, meta: CommandMeta): Promise<ChangedRates> => {
      const activated = await send({ type: 'ActivateRateProvider', provider, ...inStore() }, meta);
      if (activated.view.rates?.provider === provider) return activated;
      const { position } = await refresh(stepMeta(meta));
      return { view: await load(), position };
    },

    /** Asks a provider as it is set, and changes nothing. Null: it can be had. */
    test: async (provider: string): Promise<string | null> => {
      const fetched = await fetchFrom(provider, await load());
      return fetched.kind === 'failed' ? fetched.reason : null;
    },
  };
};

export type RateProviderActions = ReturnType<typeof createRateProviderActions>;
