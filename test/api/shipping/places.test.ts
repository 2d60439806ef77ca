import { expect } from 'chai';
import { add, basketIn, idNamed, offer } from '#test/support/builders/basket.ts';
import {
  excludes,
  optionNamed,
  productNamed,
  serves,
  warehouseNamed,
} from '#test/support/builders/reference.ts';
import { given, inStream } from '#test/support/given.ts';
import { cookieOf, openReadingShop, type ReadingShop } from '#test/support/reading-shop.ts';
import { body, exactly, header } from '#test/support/scene.ts';
import { streamOf } from '#values/stream-name.ts';

const prices = { offers: { mug: offer(1200, 20), vase: offer(3000, 20) } };
const california = { regionCode: 'CA', name: 'California' };
const nevada = { regionCode: 'NV', name: 'Nevada' };

describe('where the shop delivers', () => {
  let shop: ReadingShop;
  before(async () => {
    shop = await openReadingShop(
      [
        warehouseNamed('East', [serves('GB'), serves('US', 'CA'), serves('US', 'NV')]),
        warehouseNamed('West', [serves('*'), excludes('FR')]),
        warehouseNamed('Paris', [serves('FR'), excludes('GB')]),
        optionNamed('Parcel', 'East', {
          excludedRegions: [{ countryCode: 'GB', regionCode: 'WLS' }],
        }),
        optionNamed('Poste', 'Paris'),
        optionNamed('Off', 'West', { isEnabled: false }),
        ...productNamed('mug', { shelves: { East: 20 } }),
        ...productNamed('vase', { shelves: { East: 20 } }),
        ...inStream(
          streamOf.basket(idNamed('mine')),
          ...given(basketIn(prices)).after(add('mug'), add('vase')).history,
        ),
      ],
      { defaultShippingCountry: 'GB' },
    );
  });
  after(() => shop.close());

  it('is told with the country, region and currency of the shopper', async () => {
    const told = {
      success: true,
      message: '',
      countries: [
        { code: 'FR', name: 'France' },
        { code: 'GB', name: 'United Kingdom' },
        { code: 'US', name: 'United States of America' },
      ],
      currentCountry: { code: 'GB', name: 'United Kingdom' },
      currentRegionCode: null,
      currentRegionName: null,
      currency: { currencyCode: 'GBP', currencySymbol: '£', decimalPlaces: 2 },
    };
    await shop.visit('/shipping/countries').then(200).and(exactly(told)).and(header('Set-Cookie', null));
    await shop.visit('/shipping/countries', { shop_country: 'US', shop_region: 'NV' }).then(200, {
      currentCountry: { code: 'US', name: 'United States of America' },
      currentRegionCode: 'NV',
      currentRegionName: 'Nevada',
    });
    await shop.visit('/shipping/countries', { shop_country: 'DE' }).then(200, {
      currentCountry: { code: 'GB', name: 'United Kingdom' },
    });
    await shop.visitCheckout('/shipping/countries').then(200).and(exactly(told.countries));
  });

  it('is told by region: those of its warehouses, none where the catalogue has none', async () => {
    const all = { success: true, message: '' };
    await shop
      .visit('/shipping/countries/us/regions')
      .then(200)
      .and(exactly({ ...all, countryCode: 'US', regions: [california, nevada] }));
    for (const countryCode of ['XX', 'DE', 'MC'])
      await shop
        .visit(`/shipping/countries/${countryCode}/regions`)
        .then(200)
        .and(exactly({ ...all, countryCode, regions: [] }));
  });

  it('at checkout is narrowed to where an option takes everything in the basket', async () => {
    const regionsWith = async (cookies: Readonly<Record<string, string>>, countryCode: string) => {
      const { body: regions } = await shop
        .visitCheckout(`/shipping/regions/${countryCode}`, cookies)
        .then(200);
      return (regions as { regionCode: string }[]).map(({ regionCode }) => regionCode);
    };
    expect(await regionsWith({}, 'GB')).to.include('WLS');
    expect(await regionsWith(cookieOf(idNamed('mine')), 'GB')).to.deep.equal(['ENG', 'NIR', 'SCT']);
    expect(await regionsWith(cookieOf(idNamed('mine')), 'US')).to.deep.equal(['CA', 'NV']);
    expect(await regionsWith(cookieOf(idNamed('mine')), 'FR')).to.deep.equal([]);
    expect(await regionsWith({}, 'FR')).to.have.length.above(10);
  });

  it('has nothing to do with where a bill may go', async () => {
    const germany = body((list) => expect(list).to.deep.include({ code: 'DE', name: 'Germany' }));
    const bavaria = body((list) => expect(list).to.deep.include({ regionCode: 'BY', name: 'Bayern' }));
    await shop.visitCheckout('/billing/countries').then(200).and(germany);
    await shop.visitCheckout('/billing/regions/de').then(200).and(bavaria);
    await shop.visitCheckout('/billing/regions/XX').then(200).and(exactly([]));
  });
});
