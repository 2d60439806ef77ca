import type { ExchangeRates } from '#values/exchange.ts';

/** What the shop's configuration and its currency say where providers are chosen and set. */
interface InStore {
  /** The store's own currency: rates are units of another for one of this. */
  readonly baseCurrency: string;
  /** The provider that the configuration names; null: the backoffice chooses. */
  readonly namedProvider: string | null;
}

/** Sets what a provider needs; of the manual one these are its rates. */
export interface ConfigureRateProvider extends InStore {
  readonly type: 'ConfigureRateProvider';
  readonly provider: string;
  readonly configuration: Readonly<Record<string, unknown>>;
}

/** Sets one rate of the manual provider; the others stay. */
export interface SetManualRate extends InStore {
  readonly type: 'SetManualRate';
  readonly currency: string;
  readonly rate: number;
}

/** Chooses the provider that is asked from now on. */
export interface ActivateRateProvider extends InStore {
  readonly type: 'ActivateRateProvider';
  readonly provider: string;
}

/** Puts rates in force that a provider has given. */
export interface RecordRates extends ExchangeRates, InStore {
  readonly type: 'RecordRates';
  readonly provider: string;
  /** Null where the provider does not say. */
  readonly quotedAt: string | null;
  readonly askedAt: string;
}

/** Says that a provider was asked in vain. */
export interface RecordFailedFetch extends Pick<InStore, 'namedProvider'> {
  readonly type: 'RecordFailedFetch';
  readonly provider: string;
  readonly reason: string;
}

export type ExchangeRateCommand =
  | ConfigureRateProvider
  | SetManualRate
  | ActivateRateProvider
  | RecordRates
  | RecordFailedFetch;
