import type { ShopCheck } from '#command/engine/shop-check.ts';
import type { RatesView } from '#entities/exchange-rate.providers.ts';
import { activeRateProvider } from '#values/exchange-rate-providers.ts';

export interface RateCheckDeps {
  readonly rates: () => RatesView;
  readonly namedProvider: string | null;
  /** For how long rates count as new, in minutes. */
  readonly lifetime: () => number;
  readonly now: () => number;
}

const MINUTE = 60_000;
/** One refresh may be missed. */
const LIFETIMES = 2;

/** Why the rates cannot be trusted; null: they can. Rates entered by hand do not age. */
const staleBecause = ({ rates, namedProvider, lifetime, now }: RateCheckDeps): string | null => {
  const { provider, rates: known, failure } = rates();
  if (failure !== null) return `${failure.provider}: ${failure.reason}`;
  if (activeRateProvider(namedProvider, provider) === 'manual' || known === null) return null;
  const age = now() - Date.parse(known.fetchedAt);
  return age > LIFETIMES * lifetime() * MINUTE ? `The rates are from ${known.fetchedAt}` : null;
};

/** Rates that are older than they should be. */
export const rateChecks = (deps: RateCheckDeps): readonly ShopCheck[] => [
  {
    alias: 'exchange-rates-stale',
    name: 'Exchange rates',
    description: 'Whether the rates of other currencies are up to date.',
    icon: 'icon-coins',
    sortOrder: 600,
    severity: 'warning',
    summary: (found) => (found === 0 ? 'The rates are up to date.' : 'The rates are out of date.'),
    *look() {
      const description = staleBecause(deps);
      if (description === null) return;
      const editPath = '/exchange-rate-providers';
      yield { id: 'exchange-rates', name: 'Exchange rates', description, editPath, imageUrl: null };
    },
  },
];
