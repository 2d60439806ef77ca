import { expect } from 'chai';
import { basketEvents } from '#events/basket.events.ts';
import { newId } from '#kernel/ids.ts';
import { streamOf } from '#values/stream-name.ts';
import { add, basketIn, idNamed, offer } from '#test/support/builders/basket.ts';
import { optionNamed, productNamed, serves, warehouseNamed } from '#test/support/builders/reference.ts';
import { given, inStream, type GivenEvent } from '#test/support/given.ts';
import { cookieOf, openReadingShop, type ReadingShop } from '#test/support/reading-shop.ts';

/** A warehouse that serves Great Britain and California, two mugs in it, and three baskets. */
const history = (): readonly GivenEvent[] => {
  const basket = (name: string, ...more: Parameters<typeof inStream>[1][]) =>
    inStream(
      streamOf.basket(idNamed(name)),
      ...given(basketIn({ offers: { mug: offer(1200, 20) } })).after(add('mug', 3)).history,
      ...more,
    );
  return [
    warehouseNamed('East', [serves('GB'), serves('US', 'CA')]),
    optionNamed('Parcel', 'East', { fixedCost: 400 }),
    ...productNamed('mug', { shelves: { East: 2 }, variant: { price: 1200 } }),
    ...basket('open'),
    ...basket('bought', basketEvents.create.BasketCompleted({ invoiceId: newId() })),
    ...basket('cleared', basketEvents.create.BasketCleared({ currency: 'GBP', customerId: null })),
  ];
};

describe('what a shopper reads', () => {
  let shop: ReadingShop;
  before(async () => {
    shop = await openReadingShop(history(), { defaultShippingCountry: 'GB' });
  });
  after(() => shop.close());
  const mine = cookieOf(idNamed('open'));

  it('is the basket of the cookie', async () => {
    const { status, body } = await shop.visit('/basket', mine);
    expect(status).to.equal(200);
    expect(body).to.deep.include({
      success: true,
      message: '',
      id: idNamed('open'),
      isEmpty: false,
      itemCount: 3,
      subTotal: 36,
      tax: 7.2,
      total: 43.2,
      formattedTotal: '£43.20',
    });
    expect(body).to.not.have.property('availability');
    expect((await shop.visit('/basket', mine)).body).to.deep.equal(body);
  });

  it('is the empty form, without a cookie, for every basket that is not there for them', async () => {
    const known = [newId(), idNamed('bought'), idNamed('cleared')].map(cookieOf);
    for (const cookies of [{}, { shop_basket: 'no-guid' }, { shop_basket: idNamed('open') }, ...known]) {
      const { status, body, headers } = await shop.visit('/basket', cookies);
      expect(status).to.equal(200);
      expect(body, JSON.stringify(cookies)).to.deep.include({
        success: true,
        isEmpty: true,
        lineItems: [],
        itemCount: 0,
      });
      expect(headers.get('Set-Cookie')).to.equal(null);
    }
  });

  it('tells on request whether each line can be had', async () => {
    const { body } = await shop.visit('/basket?includeAvailability=true', mine);
    expect(body.total).to.equal(43.2);
    expect(body.allItemsAvailable).to.equal(false);
    expect((body.availability as unknown[])[0]).to.deep.include({
      productId: idNamed('mug'),
      canShipToLocation: true,
      hasStock: false,
      availableStock: 2,
      statusMessage: 'Out of Stock',
      message: 'Out of Stock',
    });
    const { body: french } = await shop.visit('/basket?includeAvailability=true&countryCode=FR', mine);
    expect((french.availability as unknown[])[0]).to.deep.include({
      canShipToLocation: false,
      statusMessage: 'Not available in France',
    });
    const { body: empty } = await shop.visit('/basket?includeAvailability=true');
    expect(empty).to.deep.include({ isEmpty: true, availability: [], allItemsAvailable: true });
    expect((await shop.visit('/basket?includeAvailability=perhaps')).status).to.equal(400);
  });

  it('is how full the basket is', async () => {
    const { body } = await shop.visit('/basket/count', mine);
    expect(body).to.deep.include({ success: true, itemCount: 3, total: 43.2, formattedTotal: '£43.20' });
    expect((await shop.visit('/basket/count')).body).to.deep.include({
      itemCount: 0,
      formattedTotal: '£0.00',
    });
  });

  it('is where they are: by cookie, if the shop delivers there, else by default', async () => {
    const { body } = await shop.visit('/context', { ...mine, shop_country: 'us', shop_region: 'CA' });
    expect(body.location).to.deep.equal({
      countryCode: 'US',
      countryName: 'United States of America',
      regionCode: 'CA',
      regionName: 'California',
    });
    expect(body.currency).to.deep.equal({ currencyCode: 'GBP', currencySymbol: '£', decimalPlaces: 2 });
    expect(body.basket).to.deep.include({ itemCount: 3, formattedTotal: '£43.20' });
    const { body: elsewhere } = await shop.visit('/context', { shop_country: 'FR' });
    expect(elsewhere.location).to.deep.include({ countryCode: 'GB', regionCode: null });
  });
});
