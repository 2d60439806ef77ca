import { expect } from 'chai';
import type { BasketStreamEvent } from '#command/contexts/basket/basket.state.ts';
import type { PriceSources } from '#command/pricing/basket-prices.ts';
import { basketEvents } from '#events/basket.events.ts';
import { asOfNow } from '#events/basket-session.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import { add, noon, viewOf } from '#test/support/builders/basket.ts';
import { addresses, checkoutIn, choice, pay, type CheckoutBasket } from '#test/support/builders/checkout.ts';
import { warehousesWith } from '#test/support/builders/warehouses.ts';
import { given } from '#test/support/given.ts';

const MINUTE = 60_000;
const { BasketCleared } = basketEvents.create;

/** A shop with two mugs in a basket that is addressed and shipped at noon. */
const open = (changes: Partial<StoreSettings> = {}) => {
  const shop = warehousesWith(
    { east: { options: { parcel: { fixedCost: 500 } } } },
    { mug: { price: 1000, taxRate: 20, stock: { east: 50 } } },
  );
  const after = (minutes: number): PriceSources => ({
    ...shop,
    clock: { now: () => noon + minutes * MINUTE },
  });
  const rulesAt = (minutes: number) => checkoutIn(after(minutes), changes);
  const inBasket = given(rulesAt(0)).after(add('mug', 2), addresses);
  const ready = inBasket.after(choice(shop, inBasket));
  return { ready, inBasket, at: (minutes: number, basket = ready) => basket.now(rulesAt(minutes)), shop };
};

/** As a log of a release that did not write down when a basket in checkout changed. */
const withoutTimes = (basket: CheckoutBasket): readonly BasketStreamEvent[] =>
  basket.history.map((event) => {
    if (!('pricing' in event.data)) return event;
    const { session: _, ...pricing } = event.data.pricing;
    return { ...event, data: { ...event.data, pricing } } as BasketStreamEvent;
  });

const lost = { 'lost[0].reason': 'parcel was chosen too long ago. Choose again how it is shipped.' };

describe('a checkout that takes its time', () => {
  it('keeps the choice for half an hour after the last change, no longer', () => {
    const { at } = open();
    at(29).when(pay()).thenLike(['OrderPlacementStarted']);
    at(30).when(pay()).thenRefused('shipping-not-selected');
    const changed = at(29).after(add('mug'));
    at(58, changed).when(pay()).thenLike(['OrderPlacementStarted']);
    at(59, changed).when(pay()).thenRefused('shipping-not-selected');
  });

  it('says with the next change what was lost, and keeps goods and addresses', () => {
    const { at } = open();
    at(45)
      .when(add('mug'))
      .thenLike(
        ['ShippingRequoted', { choices: [], ...lost, 'pricing.totals.shipping': 0 }],
        ['BasketLineQuantityChanged', { quantity: 3, 'pricing.totals.total': 3600 }],
      );
    const view = viewOf(at(45).after(add('mug')));
    expect(view).to.deep.include({ choices: [], itemCount: 3, email: 'ada@example.com' });
    expect(view.shippingAddress).to.include({ postalCode: 'SW1Y 4JH' });
  });

  it('does not choose shipping for the shopper, who chooses again and pays', () => {
    const { at, shop } = open();
    const back = at(45).after(add('mug'));
    back.when(pay()).thenRefused('shipping-not-selected');
    const chosen = back.after(choice(shop, back));
    chosen.when(pay()).thenLike(['OrderPlacementStarted']);
    at(45).after(choice(shop, back)).when(pay()).thenLike(['OrderPlacementStarted']);
  });

  it('lasts four hours at most, however busy', () => {
    const { at, shop } = open();
    let busy = at(0);
    for (let minutes = 20; minutes < 240; minutes += 20) busy = at(minutes, busy).after(add('mug'));
    at(239, busy).when(pay()).thenLike(['OrderPlacementStarted']);
    at(240, busy).when(pay()).thenRefused('shipping-not-selected');
    const again = at(240, busy).after(add('mug'));
    const chosen = again.after(choice(shop, again));
    at(269, chosen).when(pay()).thenLike(['OrderPlacementStarted']);
  });

  it('starts over with the next choice if nothing was chosen in time', () => {
    const { at, inBasket, shop } = open();
    const late = at(239, inBasket).after(choice(shop, inBasket));
    at(260, late).when(pay()).thenLike(['OrderPlacementStarted']);
    at(239, inBasket).when(add('mug')).thenLike(['BasketLineQuantityChanged']);
  });

  it('never times out if the shop has turned timeouts off', () => {
    const never = { sessionSlidingTimeoutMinutes: 0, sessionAbsoluteTimeoutMinutes: 0 };
    const { at } = open(never);
    at(100_000).when(pay()).thenLike(['OrderPlacementStarted']);
    open({ ...never, sessionAbsoluteTimeoutMinutes: 60 })
      .at(60)
      .when(pay())
      .thenRefused('shipping-not-selected');
    open({ ...never, sessionSlidingTimeoutMinutes: 60 })
      .at(60)
      .when(pay())
      .thenRefused('shipping-not-selected');
  });

  it('counts from the last attempt to order', () => {
    const { at } = open();
    const failed = at(20).after(pay()).after({
      type: 'FailPlacement',
      placementId: pay().placementId,
      turn: 9,
      code: 'out-of-stock',
      message: 'Sold out.',
      details: {},
      keepsHolds: false,
    });
    at(49, failed).when(pay('again')).thenLike(['OrderPlacementStarted']);
    at(50, failed).when(pay('again')).thenRefused('shipping-not-selected');
  });

  it('records nothing when a command is refused or the basket ends', () => {
    const { at } = open();
    at(45).when(add('mug', 100)).thenRefused('out-of-stock');
    const { currency, customerId } = viewOf(at(45));
    at(45)
      .when({ type: 'ClearBasket' })
      .then([BasketCleared({ currency, customerId })]);
  });

  it('never times out in a basket of an older release, until it changes', () => {
    const { ready, at } = open();
    const old = given(checkoutIn(open().shop), withoutTimes(ready));
    expect(viewOf(old).session).to.equal(null);
    at(500, old).when(pay()).thenLike(['OrderPlacementStarted']);
    const changed = at(500, old).after(add('mug'));
    at(529, changed).when(pay()).thenLike(['OrderPlacementStarted']);
    at(530, changed).when(pay()).thenRefused('shipping-not-selected');
  });

  it('is shown without shipping before that is recorded, with the figures that will be', () => {
    const { at } = open();
    const settings = { sessionSlidingTimeoutMinutes: 30, sessionAbsoluteTimeoutMinutes: 240 };
    const view = viewOf(at(45));
    expect(asOfNow(view, settings, noon + 29 * MINUTE)).to.equal(view);
    const shown = asOfNow(view, settings, noon + 45 * MINUTE);
    const [event] = at(45).when(add('mug')).events();
    const recorded = event?.type === 'ShippingRequoted' ? event.data.pricing : expect.fail('not recorded');
    expect(shown).to.deep.include({ choices: [], totals: recorded.totals, discounts: recorded.discounts });
  });
});
