import type { RatesView } from '#entities/exchange-rate.providers.ts';
import type { Job } from '#runtime/job-runner.ts';

interface RefreshRatesDeps {
  /** The rates as this process knows them, and the provider that is asked. */
  readonly known: () => { readonly view: RatesView; readonly provider: string };
  /** Null: they are in force. */
  readonly refresh: () => Promise<string | null>;
  readonly everyMinutes: number;
  /** Older rates are asked for as soon as the process has begun. */
  readonly freshMinutes: () => number;
}

const MINUTE = 60_000;

/** Without any rates the shop has one currency: a provider that failed is asked again soon. */
const WITHOUT_RATES_MINUTES = 5;

/** When a provider was asked last, in milliseconds; -Infinity for never. */
const lastAsked = ({ rates, failure }: RatesView, provider: string): number => {
  const fetched = rates?.provider === provider ? Date.parse(rates.fetchedAt) : -Infinity;
  const failed = failure?.provider === provider ? Date.parse(failure.failedAt) : -Infinity;
  return Math.max(fetched, failed);
};

/** Asks for rates when it is time to. A failure is recorded, and the rates from before stay in force. */
export const refreshRates = ({ known, refresh, everyMinutes, freshMinutes }: RefreshRatesDeps): Job => {
  let hasBegun = false;
  return {
    name: 'refresh-rates',
    schedule: '* * * * *',
    worksOff: 'exchangeRates',
    isDue: (now) => {
      const { view, provider } = known();
      if (provider === 'manual') return false;
      const age = now - lastAsked(view, provider);
      const isFirst = !hasBegun;
      hasBegun = true;
      const minutes = view.rates === null ? Math.min(everyMinutes, WITHOUT_RATES_MINUTES) : everyMinutes;
      return age >= minutes * MINUTE || (isFirst && age >= freshMinutes() * MINUTE);
    },
    isUrgent: () => {
      const { view, provider } = known();
      return provider !== 'manual' && view.rates === null;
    },
    runOnce: async () => {
      if (known().provider === 'manual') return { refreshed: 0, failed: 0 };
      const failure = await refresh();
      return failure === null ? { refreshed: 1, failed: 0 } : { refreshed: 0, failed: 1, reason: failure };
    },
  };
};
