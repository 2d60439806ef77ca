import type { ExchangeRateProvider, FetchedRates } from '#ports/exchange-rate-provider.ts';
import { isCurrency } from '#values/currency.ts';
import { isRate, rateText } from '#values/exchange.ts';
import { FRANKFURTER_URL } from '#values/exchange-rate-providers.ts';
import { addressBelow, fetchJson, NotFetched, type CheckAddress, type Limits } from '#runtime/fetch-json.ts';

export interface FrankfurterOptions {
  /** Says whether an address may be called, and which IP addresses are meant by it. */
  readonly check: CheckAddress;
  /** What the configuration says; null: what the backoffice has set. */
  readonly url: string | null;
  /** Default: 10 s and 1 MB. */
  readonly limits?: Limits;
}

const usual: Limits = { timeoutMs: 10_000, maxBytes: 1_000_000 };

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown, what: string): Fields => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new NotFetched(`${what} is not an object`);
};

const ratesOf = (given: Fields, base: string): Readonly<Record<string, string>> => {
  const rates: Record<string, string> = {};
  for (const [code, rate] of Object.entries(given)) {
    const currency = code.toUpperCase();
    // Sources know more than currencies: metals, units of account.
    if (!isCurrency(currency) || currency === base) continue;
    if (typeof rate !== 'number' || !isRate(rate)) throw new NotFetched(`its rate of ${currency} is none`);
    rates[currency] = rateText(rate);
  }
  if (Object.keys(rates).length === 0) throw new NotFetched('its answer has no rates');
  return rates;
};

const quotedAtOf = ({ date }: Fields): string | null => {
  const instant = typeof date === 'string' ? Date.parse(date) : Number.NaN;
  return Number.isNaN(instant) ? null : new Date(instant).toISOString();
};

const addressOf = (url: string, base: string): string => addressBelow(url, '/latest', { base });

const urlOf = (configuration: Fields): string =>
  typeof configuration['url'] === 'string' && configuration['url'] !== ''
    ? configuration['url']
    : FRANKFURTER_URL;

/** Rates over HTTP, in the manner of frankfurter: `GET {url}/latest?base=USD` (docs/rules/currency.md#providers). */
export const frankfurterRateProvider = ({
  check,
  url,
  limits = usual,
}: FrankfurterOptions): ExchangeRateProvider => ({
  alias: 'frankfurter',
  problems: async (configuration) => {
    const checked = await check(addressOf(urlOf(configuration), 'EUR'));
    return checked.kind === 'refused' ? [`url: ${checked.reason}`] : [];
  },
  fetchRates: async (base, configuration): Promise<FetchedRates> => {
    try {
      const answer = fieldsOf(
        await fetchJson(addressOf(url ?? urlOf(configuration), base), check, limits),
        'its answer',
      );
      if (answer['base'] !== base) throw new NotFetched(`its rates are not for ${base}`);
      const { amount = 1 } = answer;
      if (amount !== 1) throw new NotFetched('its rates are not for one unit');
      const rates = ratesOf(fieldsOf(answer['rates'], 'what it gives as rates'), base);
      return { kind: 'rates', rates, quotedAt: quotedAtOf(answer) };
    } catch (error) {
      if (error instanceof NotFetched) return { kind: 'failed', reason: error.message };
      throw error;
    }
  },
});
