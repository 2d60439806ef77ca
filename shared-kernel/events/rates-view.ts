import type { EventOfType } from '#kernel/event.ts';
import type { Evolution } from '#kernel/evolution.ts';
import type { ExchangeRateEvent } from './exchange-rate.events.ts';

/**
 * Exchange rates and where they come from, as the events of their stream add up to it. The decider and reference state
 * fold the same.
 */
export interface RatesView {
  /** The provider activated last, whatever the configuration says; null: none yet. */
  readonly provider: string | null;
  /** What is set for each provider. */
  readonly configurations: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Those in force; null until there are some. */
  readonly rates: EventOfType<ExchangeRateEvent, 'ExchangeRatesRefreshed'>['data'] | null;
  /** Why they are not newer, and how often in a row they could not be had; null after a success. */
  readonly failure: EventOfType<ExchangeRateEvent, 'ExchangeRateFetchFailed'>['data'] | null;
}

export const noRates: RatesView = { provider: null, configurations: {}, rates: null, failure: null };

export const ratesEvolution: Evolution<RatesView, ExchangeRateEvent> = {
  ExchangeRateProviderActivated: (view, { data: { provider } }) => ({ ...view, provider }),
  ExchangeRateProviderConfigured: (view, { data: { provider, configuration } }) => ({
    ...view,
    configurations: { ...view.configurations, [provider]: configuration },
  }),
  ExchangeRatesRefreshed: (view, { data: rates }) => ({ ...view, rates, failure: null }),
  ExchangeRateFetchFailed: (view, { data: failure }) => ({ ...view, failure }),
};
