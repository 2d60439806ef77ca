import { expect } from 'chai';
import { ratedServices } from '#command/contexts/shipping/ask-carriers.ts';
import type { RatedPackage, RateRequest, ShippingRateProvider } from '#ports/shipping-rate-provider.ts';
import { carrierOf } from '#values/carriers.ts';

const box: RatedPackage = { weightKg: 2, lengthCm: 40, widthCm: 30, heightCm: 20, count: 1 };
const at = (countryCode: string) => ({ countryCode, regionCode: null, postalCode: null });

/** What every carrier keeps to. `configuration`: with which it answers. */
export const shippingRateProviderContract = (
  name: string,
  open: () => ShippingRateProvider,
  configuration: RateRequest['configuration'] = {},
): void => {
  describe(`shipping rates: ${name}`, () => {
    const request = (changes: Partial<RateRequest> = {}): RateRequest => ({
      origin: at('GB'),
      destination: at('GB'),
      packages: [box],
      currency: 'GBP',
      configuration,
      ...changes,
    });
    const quote = async (changes: Partial<RateRequest> = {}) =>
      ratedServices(await open().quote(request(changes), new AbortController().signal));

    it('is known to the shop, and offers no service that the shop does not know', async () => {
      const carrier = carrierOf(open().key);
      const known = carrier?.services.map(({ serviceCode }) => serviceCode);
      const offered = (await quote()).map(({ serviceCode }) => serviceCode);
      expect(known).to.include.members(offered);
      expect(offered).to.not.deep.equal([]);
    });

    it('asks the same for the same', async () => {
      expect(await quote()).to.deep.equal(await quote());
    });

    it('asks no less for more, heavier or larger packages', async () => {
      const [first] = await quote();
      const more = [
        { packages: [{ ...box, count: 2 }] },
        { packages: [{ ...box, weightKg: 20 }] },
        { packages: [{ ...box, lengthCm: 200 }] },
      ];
      for (const changes of more) {
        const [service] = await quote(changes);
        expect(service?.cost).to.be.above(first?.cost ?? Infinity);
      }
    });

    it('quotes in minor units of the currency, whatever its decimals', async () => {
      const [yen, pounds, dinars] = await Promise.all(
        ['JPY', 'GBP', 'KWD'].map(async (currency) => (await quote({ currency }))[0]?.cost ?? 0),
      );
      expect(Math.round((pounds ?? 0) / 100)).to.be.closeTo(yen ?? -1, 1);
      expect(Math.round((dinars ?? 0) / 10)).to.be.closeTo(pounds ?? -1, 1);
    });
  });
};
