import { expect } from 'chai';
import { basketEvents } from '#events/basket.events.ts';
import { checkoutEvents } from '#events/checkout.events.ts';
import {
  add,
  basketIn,
  codeOf,
  idNamed,
  lineOf,
  london,
  offer,
  percentOff,
  setQuantity,
  takeOut,
  viewOf,
} from '#test/support/builders/basket.ts';
import { placementEnded, placementStarted } from '#test/support/builders/placement.ts';
import { given } from '#test/support/given.ts';

const { BasketCleared, BasketHandedOver } = basketEvents.create;
const { DiscountCodeApplied } = checkoutEvents.create;

const offers = { mug: offer(1200, 20), pen: offer(150), tea: offer(480, 5) };
const shop = basketIn({ offers });
const cheaper = basketIn({ offers: { ...offers, mug: offer(1000, 20) } });
const withMugs = (count: number) => basketIn({ offers, stock: { mug: count } });

const clear = { type: 'ClearBasket' } as const;
const reprice = { type: 'RepriceBasket', destination: null } as const;
const oneMug = given(shop).after(add('mug'));
const twoMugs = given(shop).after(add('mug', 2));

describe('a basket', () => {
  it('starts with its first line, priced for where the shopper is', () => {
    given(shop)
      .when(add('mug', 2))
      .thenLike(
        ['BasketStarted', { currency: 'GBP', destination: london }],
        [
          'BasketLineAdded',
          {
            line: lineOf('mug'),
            quantity: 2,
            itemCount: 2,
            'pricing.totals.subTotal': 2400,
            'pricing.totals.tax': 480,
            'pricing.totals.total': 2880,
          },
        ],
      );
  });

  it('is not started under an unknown id', () => {
    const unknown = { ...add('mug'), startFor: null } as ReturnType<typeof add>;
    given(shop).when(unknown).thenRefused('basket-not-found');
  });

  it('adds units to the line it already has, instead of a second line', () => {
    twoMugs
      .when(add('mug', 3))
      .thenLike(['BasketLineQuantityChanged', { oldQuantity: 2, quantity: 5, itemCount: 5 }]);
  });

  it('refuses products that the shop does not have, does not sell, or not in this quantity', () => {
    const narrow = basketIn({ offers, withdrawn: ['pen'], maxLineQuantity: 9, maxBasketLines: 1 });
    given(narrow).when(add('hat')).thenRefused('product-not-found');
    given(narrow).when(add('pen')).thenRefused('product-not-purchasable');
    given(narrow).when(add('tea', 10)).thenRefused('quantity-too-large');
    oneMug.now(narrow).when(add('tea')).thenRefused('basket-full');
  });

  it('refuses more than is in stock, and names both numbers', () => {
    const { message } = twoMugs
      .now(withMugs(3))
      .when(add('mug', 2))
      .thenRefused('out-of-stock', { requestedQuantity: 4, availableQuantity: 3 });
    expect(message).to.include('4').and.to.include('3');
    twoMugs.now(withMugs(3)).when(setQuantity('mug', 4)).thenRefused('out-of-stock');
  });

  it('counts the units held by its own unpaid order as available', () => {
    const mine = { productId: idNamed('mug'), warehouseId: idNamed('east'), quantity: 1 };
    const ordered = oneMug.happened(...placementStarted({ holds: [mine] }), ...placementEnded());
    ordered.now(withMugs(0)).when(add('mug')).thenRefused('out-of-stock', { availableQuantity: 1 });
    ordered
      .now(withMugs(1))
      .when(setQuantity('mug', 2))
      .thenLike(['BasketLineQuantityChanged', { quantity: 2 }]);
  });

  it('does nothing when the quantity is unchanged', () => {
    twoMugs.when(setQuantity('mug', 2)).thenNothing();
  });

  it('loses a line that is set to 0 or removed; removing it twice is no error', () => {
    const both = twoMugs.after(add('pen'));
    both.when(setQuantity('mug', 0)).thenLike(['BasketLineRemoved', { quantity: 2, itemCount: 1 }]);
    const onlyPen = both.after(takeOut('mug'));
    onlyPen
      .when(takeOut('pen'))
      .thenLike(['BasketLineRemoved', { quantity: 1, itemCount: 0, 'pricing.totals.total': 0 }]);
    onlyPen.after(takeOut('pen')).when(takeOut('pen')).thenNothing();
  });

  it('does not know a line that it never had', () => {
    oneMug.when(setQuantity('pen', 1)).thenRefused('line-not-found');
  });

  it('is gone once it has been cleared', () => {
    oneMug.when(clear).then([BasketCleared({ currency: 'GBP', customerId: null })]);
    oneMug.after(clear).when(clear).thenNothing();
    oneMug.after(clear).when(takeOut('mug')).thenRefused('basket-not-found');
  });

  it('cannot change while its order is being placed, and can afterwards', () => {
    const placing = oneMug.happened(...placementStarted());
    for (const command of [add('pen'), setQuantity('mug', 2), takeOut('mug'), clear])
      placing.when(command).thenRefused('order-being-placed');
    placing
      .happened(...placementEnded())
      .when(add('pen'))
      .thenLike(['BasketLineAdded']);
  });

  it('takes today’s price for every line whenever it changes', () => {
    oneMug
      .now(cheaper)
      .when(add('pen'))
      .thenLike([
        'BasketLineAdded',
        {
          'pricing.totals.subTotal': 1150,
          'pricing.totals.tax': 200,
          'pricing.totals.total': 1350,
        },
      ]);
  });

  it('is repriced only if something has changed', () => {
    oneMug.when(reprice).thenNothing();
    oneMug
      .now(cheaper)
      .when(reprice)
      .thenLike(['BasketRepriced', { 'pricing.totals.subTotal': 1000 }]);
    const destination = { ...london, countryCode: 'FR' };
    oneMug.when({ ...reprice, destination }).thenLike(['BasketRepriced', { destination }]);
  });

  it('says which code is lost with the line that qualified for it', () => {
    const big = percentOff('BIG', 10, { minimumPurchaseAmount: 1300 });
    const both = given(basketIn({ offers, discounts: [big] })).after(add('mug'), add('pen'));
    const { totals } = viewOf(both);
    both
      .happened(DiscountCodeApplied({ ...codeOf(big), pricing: { totals, discounts: [], changedLines: [] } }))
      .when(takeOut('pen'))
      .thenLike(
        ['BasketLineRemoved'],
        ['DiscountCodeRemoved', { reason: 'BIG needs items for at least £13.00.' }],
      );
  });

  it('records who signs in and prices for them, once for the same segments in any order', () => {
    const segmentIds = [idNamed('wholesale'), idNamed('vip')].sort();
    const buyer = { memberId: idNamed('member'), customerId: idNamed('ada'), segmentIds };
    const signIn = { type: 'IdentifyBuyer', ...buyer } as const;
    oneMug
      .now(cheaper)
      .when(signIn)
      .thenLike(['BasketBuyerIdentified', { ...buyer, 'pricing.totals.subTotal': 1000 }]);
    const signedIn = oneMug.after(signIn);
    expect(signedIn.state().basket).to.deep.include(buyer);
    signedIn.when({ ...signIn, segmentIds: [...segmentIds].reverse() }).thenNothing();
    signedIn.when(clear).then([BasketCleared({ currency: 'GBP', customerId: idNamed('ada') })]);
    signedIn.when({ ...signIn, memberId: idNamed('another') }).thenRefused('basket-not-found');
    given(shop).when(signIn).thenRefused('basket-not-found');
    oneMug
      .happened(...placementStarted())
      .when(signIn)
      .thenRefused('order-being-placed');
  });

  it('is not told by an agent of a member to whom it did not belong when a shopper took it over', () => {
    const buyer = { memberId: idNamed('member'), customerId: null, segmentIds: [] };
    const byAgent = { type: 'IdentifyBuyer', ...buyer, byAgent: true } as const;
    const taken = BasketHandedOver({ sessionId: null, agent: 'https://agent.example', agentName: null });
    oneMug.happened(taken).when(byAgent).thenRefused('basket-not-found');
    oneMug
      .happened(taken)
      .when({ type: 'IdentifyBuyer', ...buyer })
      .thenLike(['BasketBuyerIdentified', buyer]);
    oneMug
      .after(byAgent)
      .happened(taken)
      .when({ ...byAgent, segmentIds: [idNamed('vip')] })
      .thenLike(['BasketBuyerIdentified', { segmentIds: [idNamed('vip')] }]);
  });

  it('that was ordered is open again when a different buyer signs in', () => {
    const signIn = {
      type: 'IdentifyBuyer',
      memberId: idNamed('member'),
      customerId: null,
      segmentIds: [],
    } as const;
    const ordered = oneMug.happened(...placementStarted(), ...placementEnded());
    expect(ordered.after(signIn).state().status).to.equal('open');
  });

  it('is a data subject of its own until a customer is known', () => {
    expect(shop.subject?.('the-basket', oneMug.state())).to.deep.equal({
      id: 'the-basket',
      customerId: null,
    });
  });
});
