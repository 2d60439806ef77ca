import { z } from 'zod';
import { defineEvents, secret, type EventOf } from './define-events.ts';
import { count, currencyCode, decimalText, instant, text } from './fields.ts';

/** Units of each currency for one unit of another. */
const rates = z.record(currencyCode, decimalText);

/** Exchange rates and where they come from (docs/rules/currency.md#rates). Stream `exchangeRates-<one>`. */
export const exchangeRateEvents = defineEvents('currency', {
  ExchangeRateProviderActivated: { provider: text },
  /** `configuration` is the whole of it, as the fields of the provider have it; an address may carry a key. */
  ExchangeRateProviderConfigured: { provider: text, configuration: secret(z.record(text, z.unknown())) },
  /** The rates in force from now on. `quotedAt` is the provider's word, `fetchedAt` when it was asked. */
  ExchangeRatesRefreshed: {
    provider: text,
    baseCurrency: currencyCode,
    rates,
    quotedAt: instant,
    fetchedAt: instant,
  },
  /** The provider was asked in vain; the rates from before stay in force. */
  ExchangeRateFetchFailed: { provider: text, reason: text, consecutiveFailures: count, failedAt: instant },
});
export type ExchangeRateEvent = EventOf<typeof exchangeRateEvents>;
