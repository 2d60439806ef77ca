import { expect } from 'chai';
import { basketEvents } from '#events/basket.events.ts';
import { newId } from '#kernel/ids.ts';
import { streamOf } from '#values/stream-name.ts';
import { add, basketIn, idNamed, offer } from '#test/support/builders/basket.ts';
import { optionNamed, productNamed, serves, warehouseNamed } from '#test/support/builders/reference.ts';
import { given, inStream, type GivenEvent } from '#test/support/given.ts';
import { cookieOf, openReadingShop, type ReadingShop } from '#test/support/reading-shop.ts';
import { body, exactly, header, refusedFor } from '#test/support/scene.ts';

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
    const { body: whole } = await shop
      .visit('/basket', mine)
      .then(200, {
        success: true,
        message: '',
        id: idNamed('open'),
        isEmpty: false,
        itemCount: 3,
        subTotal: 36,
        tax: 7.2,
        total: 43.2,
        formattedTotal: '£43.20',
      })
      .and(body((found) => expect(found).to.not.have.property('availability')));
    await shop.visit('/basket', mine).then(200).and(exactly(whole));
  });

  it('is the empty form, without a cookie, for every basket that is not there for them', async () => {
    const empty = { success: true, isEmpty: true, lineItems: [], itemCount: 0 };
    const known = [newId(), idNamed('bought'), idNamed('cleared')].map(cookieOf);
    for (const cookies of [{}, { shop_basket: 'no-guid' }, { shop_basket: idNamed('open') }, ...known])
      await shop.visit('/basket', cookies).then(200, empty).and(header('Set-Cookie', null));
  });

  it('tells on request whether each line can be had', async () => {
    const lineIs = (line: object) =>
      body(({ availability }) => expect(availability[0]).to.deep.include(line));
    await shop
      .visit('/basket?includeAvailability=true', mine)
      .then(200, { total: 43.2, allItemsAvailable: false })
      .and(
        lineIs({
          productId: idNamed('mug'),
          canShipToLocation: true,
          hasStock: false,
          availableStock: 2,
          statusMessage: 'Out of Stock',
          message: 'Out of Stock',
        }),
      );
    await shop
      .visit('/basket?includeAvailability=true&countryCode=FR', mine)
      .then(200)
      .and(lineIs({ canShipToLocation: false, statusMessage: 'Not available in France' }));
    const empty = { isEmpty: true, availability: [], allItemsAvailable: true };
    await shop.visit('/basket?includeAvailability=true').then(200, empty);
    await shop.visit('/basket?includeAvailability=perhaps').then(400).and(refusedFor('invalid-request'));
  });

  it('is how full the basket is', async () => {
    const full = { success: true, itemCount: 3, total: 43.2, formattedTotal: '£43.20' };
    await shop.visit('/basket/count', mine).then(200, full);
    await shop.visit('/basket/count').then(200, { itemCount: 0, formattedTotal: '£0.00' });
  });

  it('is where they are: by cookie, if the shop delivers there, else by default', async () => {
    const california = {
      countryCode: 'US',
      countryName: 'United States of America',
      regionCode: 'CA',
      regionName: 'California',
    };
    const currency = { currencyCode: 'GBP', currencySymbol: '£', decimalPlaces: 2 };
    await shop
      .visit('/context', { ...mine, shop_country: 'us', shop_region: 'CA' })
      .then(200, { location: california, currency })
      .and(body(({ basket }) => expect(basket).to.deep.include({ itemCount: 3, formattedTotal: '£43.20' })));
    await shop
      .visit('/context', { shop_country: 'FR' })
      .then(200)
      .and(body(({ location }) => expect(location).to.include({ countryCode: 'GB', regionCode: null })));
  });
});

describe('a shopper who knows of a change', () => {
  for (const path of ['/basket?includeAvailability=true', '/context', '/basket/availability'])
    it(`is answered by the state that has it: ${path}`, async () => {
      const waited = new Map<string, number>();
      const shop = await openReadingShop(history(), {
        waitForPosition: async (name, position) => {
          waited.set(name, position);
          return null;
        },
      });
      await shop.visit(path, { ...cookieOf(idNamed('open')), shop_position: '12.7' }).then(200);
      await shop.close();
      expect([...waited]).to.deep.include.members([
        ['basket', 12],
        ['reference state', 7],
      ]);
    });
});
