import type { ExchangeRateEvent } from '#events/exchange-rate.events.ts';
import { noRates, ratesEvolution, type RatesView } from '#events/rates-view.ts';
import type { Recorded } from '#kernel/event.ts';
import { evolve } from '#kernel/evolution.ts';
import type { ExchangeRateReference } from './reference.ts';
import type { Fold, ReferencePart } from './reference-part.ts';

/** The exchange rates in force, and where they come from. */
export const createExchangeRateReference = (): ExchangeRateReference & ReferencePart => {
  let view = noRates;
  const take = (event: Recorded<ExchangeRateEvent>): void => {
    view = evolve(ratesEvolution, view, event);
  };
  const on: Fold<ExchangeRateEvent> = {
    ExchangeRateProviderActivated: take,
    ExchangeRateProviderConfigured: take,
    ExchangeRatesRefreshed: take,
    ExchangeRateFetchFailed: take,
  };
  return {
    current: () => view,
    name: 'exchangeRates',
    version: 1,
    on,
    snapshot: () => view,
    restore: (snapshot) => {
      view = snapshot as RatesView;
    },
  };
};
