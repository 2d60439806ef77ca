import type { ShopStream } from '#command/engine/streams.ts';
import type { ExchangeRateEvent } from '#events/exchange-rate.events.ts';
import type { RatesView } from '#entities/exchange-rate.providers.ts';
import { isoInstant } from '#kernel/clock.ts';
import type { ExchangeRateCommand } from './exchange-rates.commands.ts';
import { exchangeRatesDecider, type ExchangeRatesContext } from './exchange-rates.decider.ts';

/** Exchange rates and where they come from. */
export const exchangeRatesStream: ShopStream<
  RatesView,
  ExchangeRateCommand,
  ExchangeRateEvent,
  ExchangeRatesContext
> = {
  decider: exchangeRatesDecider,
  context:
    ({ clock }) =>
    () => ({ now: isoInstant(clock.now()) }),
};
