import { newId } from '#kernel/ids.ts';
import { add, basketIn, idNamed, offer } from '#test/support/builders/basket.ts';
import { optionNamed, productNamed, serves, warehouseNamed } from '#test/support/builders/reference.ts';
import { given, inStream } from '#test/support/given.ts';
import { cookieOf, openReadingShop, type ReadingShop } from '#test/support/reading-shop.ts';
import { exactly, refusedFor } from '#test/support/scene.ts';
import { streamOf } from '#values/stream-name.ts';

describe('whether goods can be had at a place', () => {
  let shop: ReadingShop;
  before(async () => {
    shop = await openReadingShop(
      [
        warehouseNamed('East', [serves('GB'), serves('US', 'CA')]),
        optionNamed('Parcel', 'East'),
        ...productNamed('mug', { shelves: { East: 2 } }),
        ...productNamed('song', { root: { isDigitalProduct: true } }),
        ...inStream(
          streamOf.basket(idNamed('mine')),
          ...given(basketIn({ offers: { mug: offer(1200, 20) } })).after(add('mug', 3)).history,
        ),
      ],
      { defaultShippingCountry: 'GB', showStockLevels: true },
    );
  });
  after(() => shop.close());
  const path = (sku: string, query = '') => `/products/${idNamed(sku)}/availability${query}`;

  it('is told for one of a product, here, if nothing else is asked for', async () => {
    await shop
      .visit(path('mug'))
      .then(200)
      .and(
        exactly({
          success: true,
          canShipToLocation: true,
          hasStock: true,
          availableStock: 2,
          showStockLevels: true,
          statusMessage: 'Only 2 left',
          message: 'Only 2 left',
        }),
      );
    await shop.visit(path('mug', '?quantity=3')).then(200, { hasStock: false, statusMessage: 'Only 2 left' });
    await shop.visit(path('song', '?countryCode=FR')).then(200, { statusMessage: 'In Stock' });
  });

  it('names a country that is asked for and not served; a region that it has not is dropped', async () => {
    const elsewhere = { canShipToLocation: false, statusMessage: 'Not available in France' };
    await shop.visit(path('mug', '?countryCode=fr')).then(200, elsewhere);
    await shop.visit(path('mug', '?countryCode=US&regionCode=CA')).then(200, { canShipToLocation: true });
    await shop.visit(path('mug', '?countryCode=GB&regionCode=XX')).then(200, { canShipToLocation: true });
    await shop.visit(path('mug', '?countryCode=')).then(200, { canShipToLocation: true });
    const california = { shop_country: 'US', shop_region: 'CA' };
    await shop.visit(path('mug', '?regionCode=NY'), california).then(200, {
      statusMessage: 'Not available in United States of America',
    });
  });

  it('is refused for a country or a count that there is not', async () => {
    const wrong = [
      'countryCode=XX',
      'quantity=0',
      'quantity=-1',
      'quantity=two',
      'quantity=1.5',
      'quantity=',
    ];
    for (const query of wrong)
      await shop
        .visit(path('mug', `?${query}`))
        .then(400, { success: false })
        .and(refusedFor('invalid-request'));
    for (const basketPath of ['/basket?includeAvailability=true', '/basket/availability?quantity=1'])
      await shop.visit(`${basketPath}&countryCode=XX`).then(400).and(refusedFor('invalid-request'));
  });

  it('is 404 for a product that there is not', async () => {
    await shop.visit(`/products/${newId()}/availability`).then(404, { success: false });
    await shop.visit('/products/no-guid/availability').then(404, { success: false });
  });

  it('is told for every line of a basket', async () => {
    const line = {
      productId: idNamed('mug'),
      canShipToLocation: true,
      hasStock: false,
      availableStock: 2,
      statusMessage: 'Only 2 left',
      message: 'Only 2 left',
    };
    const mine = cookieOf(idNamed('mine'));
    const { body } = await shop.visit('/basket/availability', mine).then(200);
    const { lineItemId } = (body as { items: { lineItemId: string }[] }).items[0] ?? {};
    await shop
      .visit('/basket/availability', mine)
      .then(200)
      .and(
        exactly({ success: true, message: '', allItemsAvailable: false, items: [{ lineItemId, ...line }] }),
      );
    await shop.visit('/basket/availability').then(200, { allItemsAvailable: true, items: [] });
  });

  it('comes beside the basket as checkout shows it: of an empty one the currency only', async () => {
    const mine = cookieOf(idNamed('mine'));
    await shop.visitCheckout('/basket', mine).then(200, { id: idNamed('mine'), isEmpty: false, total: 43.2 });
    await shop
      .visitCheckout('/basket')
      .then(200)
      .and(
        exactly({
          isEmpty: true,
          currencySymbol: '£',
          displayCurrencyCode: 'GBP',
          displayCurrencySymbol: '£',
          exchangeRate: 1,
        }),
      );
  });
});
