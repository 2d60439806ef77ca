import { exchangeRatesDecider } from '#command/contexts/currency/exchange-rates.decider.ts';
import { exchangeRateEvents } from '#events/exchange-rate.events.ts';
import { given, inContext } from '#test/support/given.ts';

const {
  ExchangeRateProviderActivated,
  ExchangeRateProviderConfigured,
  ExchangeRatesRefreshed,
  ExchangeRateFetchFailed,
} = exchangeRateEvents.create;

const now = '2026-03-01T12:00:00.000Z';
const inStore = { baseCurrency: 'USD', namedProvider: null };
const set = (rates: Readonly<Record<string, number>>, more: object = {}) =>
  ({
    type: 'ConfigureRateProvider',
    provider: 'manual',
    configuration: { rates },
    ...inStore,
    ...more,
  }) as const;
const setOne = (currency: string, rate: number) =>
  ({ type: 'SetManualRate', currency, rate, ...inStore }) as const;
const activate = (provider: string, namedProvider: string | null = null) =>
  ({ type: 'ActivateRateProvider', provider, baseCurrency: 'USD', namedProvider }) as const;
const fetched = (askedAt: string) =>
  ({
    type: 'RecordRates',
    provider: 'frankfurter',
    ...inStore,
    rates: { EUR: '0.93' },
    quotedAt: null,
    askedAt,
  }) as const;

const configured = (rates: Readonly<Record<string, number>>) =>
  ExchangeRateProviderConfigured({ provider: 'manual', configuration: { rates } });
const refreshed = (rates: Readonly<Record<string, string>>, provider = 'manual') =>
  ExchangeRatesRefreshed({ provider, baseCurrency: 'USD', rates, quotedAt: now, fetchedAt: now });
const failed = (consecutiveFailures: number) =>
  ExchangeRateFetchFailed({ provider: 'frankfurter', reason: 'away', consecutiveFailures, failedAt: now });
const failing = {
  type: 'RecordFailedFetch',
  provider: 'frankfurter',
  reason: 'away',
  namedProvider: null,
} as const;
const askingOther = ExchangeRateProviderActivated({ provider: 'frankfurter' });

const rates = inContext(exchangeRatesDecider, () => ({ now }));

describe('exchange rates', () => {
  const none = given(rates);

  it('entered by hand take effect at once, except for the store’s own currency', () => {
    none
      .when(set({ EUR: 0.92, JPY: 1e-7, USD: 1 }))
      .then([configured({ EUR: 0.92, JPY: 1e-7, USD: 1 }), refreshed({ EUR: '0.92', JPY: '0.0000001' })]);
  });

  it('of a store file are set one by one, and only once', () => {
    const first = given(rates, [configured({ EUR: 0.92 }), refreshed({ EUR: '0.92' })]);
    first.when(setOne('EUR', 0.92)).thenNothing();
    first

      .when(setOne('JPY', 149.5))
      .then([configured({ EUR: 0.92, JPY: 149.5 }), refreshed({ EUR: '0.92', JPY: '149.5' })]);
  });

  it('entered by hand wait while another provider is active, and apply once manual rates are', () => {
    const other = given(rates, [ExchangeRateProviderActivated({ provider: 'frankfurter' })]);
    other.when(set({ EUR: 0.9 })).then([configured({ EUR: 0.9 })]);
    given(rates, [ExchangeRateProviderActivated({ provider: 'frankfurter' }), configured({ EUR: 0.9 })])
      .when(activate('manual'))
      .then([ExchangeRateProviderActivated({ provider: 'manual' }), refreshed({ EUR: '0.9' })]);
    none.when(set({ EUR: 0.9 }, { namedProvider: 'frankfurter' })).then([configured({ EUR: 0.9 })]);
  });

  it('come from the provider that the configuration names, and no other can be chosen', () => {
    none.when(activate('manual', 'frankfurter')).thenRefused('setting-fixed');
    none.when(activate('frankfurter', 'frankfurter')).thenNothing();
    none.when(activate('frankfurter')).then([ExchangeRateProviderActivated({ provider: 'frankfurter' })]);
  });

  it('that arrive too late change nothing', () => {
    const newer = given(rates, [askingOther, refreshed({ EUR: '0.94' }, 'frankfurter')]);
    newer.when(fetched('2026-03-01T11:59:59.000Z')).thenNothing();
    newer.when(fetched(now)).then([refreshed({ EUR: '0.93' }, 'frankfurter')]);
  });

  it('entered by hand stay in force when a former provider responds', () => {
    const entered = given(rates, [
      askingOther,
      ExchangeRateProviderActivated({ provider: 'manual' }),
      refreshed({ EUR: '0.9' }),
    ]);
    entered.when(fetched(now)).thenNothing();
    entered.when(failing).thenNothing();
    entered
      .when({ ...fetched(now), namedProvider: 'frankfurter' })
      .then([refreshed({ EUR: '0.93' }, 'frankfurter')]);
  });

  it('stay the same when they cannot be fetched, and failures in a row are counted', () => {
    given(rates, [askingOther])
      .when(failing)
      .then([failed(1)]);
    given(rates, [askingOther, failed(1)])
      .when(failing)
      .then([failed(2)]);
    given(rates, [askingOther, failed(1), refreshed({})])
      .when(failing)
      .then([failed(1)]);
  });
});
