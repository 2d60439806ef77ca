import { expect } from 'chai';
import { parcelCarrier } from '#adapters/shipping-rates/parcel-carrier.ts';
import { shippingRateProviderContract } from './shipping-rate-provider.contract.ts';

shippingRateProviderContract('parcel', parcelCarrier);

describe('the carrier parcel', () => {
  const at = (countryCode: string) => ({ countryCode, regionCode: null, postalCode: null });
  const costs = async (weightKg: number, to: string, configuration = {}, size: number | null = null) => {
    const size3 = { lengthCm: size, widthCm: size, heightCm: size };
    const answer = await parcelCarrier().quote(
      {
        origin: at('GB'),
        destination: at(to),
        packages: [{ weightKg, ...size3, count: 1 }],
        currency: 'GBP',
        configuration,
      },
      new AbortController().signal,
    );
    return answer.kind === 'quoted' ? answer.services.map(({ cost }) => cost) : [];
  };

  // docs/guides/setting-up-shipping.md#parcel
  it('asks by its formula', async () => {
    expect(await costs(2, 'GB')).to.deep.equal([700, 1400]);
    expect(await costs(2.1, 'GB')).to.deep.equal([775, 1550]);
    expect(await costs(0, 'GB')).to.deep.equal([475, 950]);
    expect(await costs(2, 'FR')).to.deep.equal([1750, 3500]);
    expect(await costs(2, 'GB', {}, 30)).to.deep.equal([1225, 2450]);
    expect(await costs(2, 'GB', { baseRate: 3, ratePerKg: 1, expressFactor: 3 })).to.deep.equal([500, 1500]);
  });
});
