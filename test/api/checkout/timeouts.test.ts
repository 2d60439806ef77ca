import { expect } from 'chai';
import type { ApiResponse } from '#test/support/browser.ts';
import {
  add,
  get,
  initialize,
  pay,
  post,
  readyToPay,
  selectShipping,
  showBasket,
  showShipping,
  type Step,
} from '#test/support/requests.ts';
import { body, events, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';

const showCheckout = get('/api/shop/checkout/basket');

describe('a checkout that times out', () => {
  let shop: TestShop;
  let mug: string;

  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 100 });
  });
  after(() => shop.close());

  const wait = (minutes: number) => shop.tester.post('/testing/clock', { advanceSeconds: minutes * 60 });
  /** Somebody who was ready to pay so many minutes ago. */
  const backAfter = async (minutes: number): Promise<Shopper> => {
    const shopper = shop.shopper();
    await shopper.prepare(mug, 2);
    await wait(minutes);
    return shopper;
  };
  const when = (shopper: Shopper, ...given: readonly Step[]) => shop.given(...given).by(shopper);

  it('still pays a minute before, though reading does not count', async () => {
    const shopper = await backAfter(15);
    await when(shopper, showBasket(), showShipping())
      .when(showCheckout)
      .then(200, { shipping: 5, total: 29 });
    await wait(14);
    await when(shopper).when(pay()).then(200);
    const reader = await backAfter(15);
    await when(reader, showShipping()).when(showBasket()).then(200, { shipping: 5 });
    await wait(15);
    await when(reader).when(pay()).then(400).and(refusedFor('shipping-not-selected'));
  });

  it('is shown without shipping, with its goods and addresses', async () => {
    const shopper = await backAfter(30);
    for (const shown of [showBasket(), showCheckout]) {
      await when(shopper)
        .when(shown)
        .then(200, { itemCount: 2, subTotal: 20, shipping: 0, displayShipping: 0, tax: 4, total: 24 })
        .and(noNewEvents())
        .and(body(({ shippingAddress }) => expect(shippingAddress).to.include({ countryCode: 'GB' })));
    }
    await when(shopper)
      .when(showShipping())
      .then(200, { combinedShippingTotal: 0 })
      .and(noNewEvents())
      .and(
        body(({ basket, shippingGroups: [group] }) => {
          expect(basket).to.include({ shipping: 0, total: 24 });
          expect(group).to.include({ selectedShippingOptionId: null, selectedDeliveryDate: null });
          expect(group.shippingOptions).to.have.length(1);
          expect(group.shippingOptions[0]).to.include({ name: 'Parcel', isSelected: false });
        }),
      );
  });

  it('is paid once shipping is chosen again, and not before: nobody chooses for the shopper', async () => {
    const shopper = await backAfter(30);
    const message = 'Your shipping option is no longer available. Choose shipping again.';
    await when(shopper)
      .when(pay())
      .then(400, { success: false, message })
      .and(refusedFor('shipping-not-selected'))
      .and(noNewEvents());
    const chooseAgain = ({ body: { shippingGroups } }: ApiResponse) => {
      const [{ groupId, shippingOptions }] = shippingGroups;
      return selectShipping({ selections: { [groupId]: shippingOptions[0].id } });
    };
    await when(shopper, showShipping())
      .when(chooseAgain)
      .then(200, {
        combinedShippingTotal: 5,
        warnings: ['Parcel was chosen too long ago. Choose again how it is shipped.'],
      })
      .and(events('ShippingRequoted', 'ShippingSelected'));
    await when(shopper).when(pay()).then(200);
  });

  it('is not shipped the cheapest way by a wallet either', async () => {
    const shopper = await backAfter(30);
    const wallet = { providerAlias: 'sandbox', methodAlias: 'wallet', paymentToken: 'tok_success' };
    const customerData = { email: 'ada@example.com' };
    const buy = post('/api/shop/checkout/express', { ...wallet, customerData });
    await when(shopper).when(buy).then(400).and(refusedFor('shipping-not-selected')).and(noNewEvents());
    await when(shopper, initialize()).when(buy).then(200, { status: 'completed' });
  });

  it('begins again where checkout begins, with a choice that the shopper sees', async () => {
    const shopper = await backAfter(30);
    await when(shopper)
      .when(initialize())
      .then(200, { shippingAutoSelected: true, combinedShippingTotal: 5 });
    await when(shopper).when(pay()).then(200);
  });

  it('tells with the next change what is gone', async () => {
    const shopper = await backAfter(30);
    await when(shopper)
      .when(add(mug))
      .then(200, {
        itemCount: 3,
        shipping: 0,
        warnings: ['Parcel was chosen too long ago. Choose again how it is shipped.'],
      })
      .and(events('ShippingRequoted', 'BasketLineQuantityChanged'));
    await when(shopper).when(pay()).then(400).and(refusedFor('shipping-not-selected'));
  });

  it('appends nothing more for those in time', async () => {
    await shop
      .given(...readyToPay(mug))
      .when(add(mug))
      .then(200)
      .and(events('BasketLineQuantityChanged', 'ShippingRequoted'));
  });
});
