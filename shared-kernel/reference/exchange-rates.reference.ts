import type { ExchangeRateEvent } from '#events/exchange-rate.events.ts';
import { noRates, ratesEvolution, type RatesView } from '#events/rates-view.ts';
import type { Recorded } from '#kernel/event.ts';
import { evolve } from '#kernel/evolution.ts';
import type { ExchangeRateReference } from './reference.ts';
import type { Fold, ReferencePart } from './reference-part.ts';
import { ChunkedEntries } from './chunked-entries.ts';

/** The exchange rates in force, and where they come from. */
export const createExchangeRateReference = (): ExchangeRateReference & ReferencePart => {
  const entries = new ChunkedEntries<RatesView>();
  let view = noRates;
  const use = (next: RatesView): void => {
    view = next;
    entries.set('rates', next);
  };
  const take = (event: Recorded<ExchangeRateEvent>): void => use(evolve(ratesEvolution, view, event));
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
    entries,
    restore: (kept) => {
      for (const [, rates] of kept) use(rates as RatesView);
    },
    clear: () => {
      view = noRates;
    },
  };
};
