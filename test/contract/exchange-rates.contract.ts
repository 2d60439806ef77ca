import { expect } from 'chai';
import type { ExchangeRateProvider } from '#ports/exchange-rate-provider.ts';

/** A source of rates that is to give these for one dollar. */
export interface RateSource {
  readonly provider: ExchangeRateProvider;
  readonly configuration: Readonly<Record<string, unknown>>;
}

/** What every source of exchange rates is held to. */
export const describeRates = (
  name: string,
  open: (rates: Readonly<Record<string, number>>) => Promise<RateSource>,
): void => {
  describe(`exchange rates: ${name}`, () => {
    it('gives exact decimals for one unit of the base, and none of the base itself', async () => {
      const { provider, configuration } = await open({ EUR: 0.92, JPY: 149.53, KWD: 1e-7, USD: 1 });
      const fetched = await provider.fetchRates('USD', configuration);
      expect(fetched).to.deep.include({
        kind: 'rates',
        rates: { EUR: '0.92', JPY: '149.53', KWD: '0.0000001' },
      });
    });

    it('follows what it is set to next, and has nothing against it', async () => {
      const [first, second] = [await open({ EUR: 0.92 }), await open({ EUR: 0.95, CHF: 0.8 })];
      for (const [{ provider, configuration }, rates] of [
        [first, { EUR: '0.92' }],
        [second, { EUR: '0.95', CHF: '0.8' }],
      ] as const) {
        expect(await provider.problems(configuration)).to.deep.equal([]);
        expect(await provider.fetchRates('USD', configuration)).to.deep.include({ kind: 'rates', rates });
      }
    });
  });
};
