import { exchangeRateEvents, type ExchangeRateEvent } from '#events/exchange-rate.events.ts';
import { exchangeRateProviders, noRates, type RatesView } from '#entities/exchange-rate.providers.ts';
import type { Decider } from '#kernel/decider.ts';
import { Rejection } from '#kernel/rejection.ts';
import { activeRateProvider, manualRates } from '#values/exchange-rate-providers.ts';
import { meantConfiguration } from '#values/provider-field.ts';
import type {
  ActivateRateProvider,
  ConfigureRateProvider,
  ExchangeRateCommand,
  RecordFailedFetch,
  RecordRates,
  SetManualRate,
} from './exchange-rates.commands.ts';

type Configuration = Readonly<Record<string, unknown>>;

export interface ExchangeRatesContext {
  /** ISO instant. */
  readonly now: string;
}

const { ExchangeRatesRefreshed, ExchangeRateFetchFailed } = exchangeRateEvents.create;

const configurationOf = ({ configurations }: RatesView, provider: string): Configuration =>
  configurations[provider] ?? {};

/** Rates entered by hand, in the form of those in force. */
const manualSnapshot = (configuration: Configuration, baseCurrency: string, now: string) =>
  ExchangeRatesRefreshed({
    provider: 'manual',
    baseCurrency,
    rates: { ...manualRates(configuration, baseCurrency) },
    quotedAt: now,
    fetchedAt: now,
  });

const configure = (
  state: RatesView,
  { provider, configuration: given, baseCurrency, namedProvider }: Omit<ConfigureRateProvider, 'type'>,
  { now }: ExchangeRatesContext,
): ExchangeRateEvent[] => {
  const configuration = meantConfiguration(given, configurationOf(state, provider));
  const configured = exchangeRateProviders.configure(state, provider, { ...configuration });
  const isInForce = provider === 'manual' && activeRateProvider(namedProvider, state.provider) === 'manual';
  return isInForce ? [...configured, manualSnapshot(configuration, baseCurrency, now)] : configured;
};

const setManualRate = (
  state: RatesView,
  { currency, rate, baseCurrency, namedProvider }: SetManualRate,
  context: ExchangeRatesContext,
): ExchangeRateEvent[] => {
  const before = configurationOf(state, 'manual');
  const rates = before['rates'] as Readonly<Record<string, number>> | undefined;
  if (rates?.[currency] === rate) return [];
  const configuration = { ...before, rates: { ...rates, [currency]: rate } };
  return configure(state, { provider: 'manual', configuration, baseCurrency, namedProvider }, context);
};

const activate = (
  state: RatesView,
  { provider, baseCurrency, namedProvider }: ActivateRateProvider,
  { now }: ExchangeRatesContext,
): ExchangeRateEvent[] => {
  if (namedProvider !== null && namedProvider !== provider) {
    throw new Rejection(
      'setting-fixed',
      `ExchangeRates.Provider: the configuration names ${namedProvider}. Change it there.`,
    );
  }
  if (activeRateProvider(namedProvider, state.provider) === provider) return [];
  const activated = exchangeRateProviders.choose(state, provider);
  return provider === 'manual'
    ? [...activated, manualSnapshot(configurationOf(state, provider), baseCurrency, now)]
    : activated;
};

/** Another provider may have been activated while this one was asked: what it says does not count any more. */
const isActive = (
  state: RatesView,
  { provider, namedProvider }: Pick<RecordRates, 'provider' | 'namedProvider'>,
): boolean => activeRateProvider(namedProvider, state.provider) === provider;

/** An earlier request has finished late: newer rates have been fetched since. */
const recordRates = (
  state: RatesView,
  command: RecordRates,
  { now }: ExchangeRatesContext,
): ExchangeRateEvent[] => {
  if (!isActive(state, command)) return [];
  const { rates: before } = state;
  const { provider, baseCurrency, rates, quotedAt, askedAt } = command;
  if (before?.provider === provider && before.fetchedAt > askedAt) return [];
  const fetched = { provider, baseCurrency, rates: { ...rates } };
  return [ExchangeRatesRefreshed({ ...fetched, quotedAt: quotedAt ?? now, fetchedAt: now })];
};

const recordFailure = (
  state: RatesView,
  command: RecordFailedFetch,
  { now }: ExchangeRatesContext,
): ExchangeRateEvent[] => {
  if (!isActive(state, command)) return [];
  const { provider, reason } = command;
  const consecutiveFailures = (state.failure?.consecutiveFailures ?? 0) + 1;
  return [ExchangeRateFetchFailed({ provider, reason, consecutiveFailures, failedAt: now })];
};

/** Exchange rates and where they come from (docs/rules/currency.md#rates). */
export const exchangeRatesDecider: Decider<
  RatesView,
  ExchangeRateCommand,
  ExchangeRateEvent,
  ExchangeRatesContext
> = {
  category: exchangeRateProviders.name,
  initial: () => noRates,
  decide: (state, command, context) => {
    switch (command.type) {
      case 'ConfigureRateProvider':
        return configure(state, command, context);
      case 'SetManualRate':
        return setManualRate(state, command, context);
      case 'ActivateRateProvider':
        return activate(state, command, context);
      case 'RecordRates':
        return recordRates(state, command, context);
      case 'RecordFailedFetch':
        return recordFailure(state, command, context);
    }
  },
  on: exchangeRateProviders.on,
  // Every hour adds an event, for years.
  snapshot: { version: 1, every: 200 },
  remembersCommands: { last: 100 },
};
