import { exchangeRateEvents, type ExchangeRateEvent } from '#events/exchange-rate.events.ts';
import type { EventOfType } from '#kernel/event.ts';
import type { Evolution } from '#kernel/evolution.ts';
import { defineProviders, type ProvidersState } from './define-providers.ts';

const { ExchangeRateProviderActivated, ExchangeRateProviderConfigured } = exchangeRateEvents.create;

interface Rates {
  /** Those in force; null until there are some. */
  readonly rates: EventOfType<ExchangeRateEvent, 'ExchangeRatesRefreshed'>['data'] | null;
  /** Why they are not newer, and how often in a row they could not be had; null after a success. */
  readonly failure: EventOfType<ExchangeRateEvent, 'ExchangeRateFetchFailed'>['data'] | null;
}

/** Exchange rates and where they come from. The decider and reference state fold the same. */
export type RatesView = ProvidersState & Rates;

type OwnEvent = Exclude<
  ExchangeRateEvent,
  { readonly type: 'ExchangeRateProviderActivated' | 'ExchangeRateProviderConfigured' }
>;

const nothing: Rates = { rates: null, failure: null };
const on: Evolution<RatesView, OwnEvent> = {
  ExchangeRatesRefreshed: (view, { data: rates }) => ({ ...view, rates, failure: null }),
  ExchangeRateFetchFailed: (view, { data: failure }) => ({ ...view, failure }),
};

/** Where exchange rates come from (docs/rules/currency.md#providers). */
export const exchangeRateProviders = defineProviders({
  name: 'exchangeRates',
  version: 2,
  noun: 'exchange rate provider',
  path: '/exchange-rate-providers',
  configured: ExchangeRateProviderConfigured,
  choice: { chosen: ExchangeRateProviderActivated, setting: 'ExchangeRates.Provider', byDefault: 'manual' },
  own: { initial: nothing, on },
});

export const noRates: RatesView = exchangeRateProviders.initial;
