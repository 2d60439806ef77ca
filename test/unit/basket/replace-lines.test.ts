import { expect } from 'chai';
import {
  add,
  basketIn,
  idNamed,
  lineOf,
  offer,
  percentOff,
  replaceGoods,
  viewOf,
} from '#test/support/builders/basket.ts';
import { given } from '#test/support/given.ts';

const floor = {
  offers: { mug: offer(1200), pen: offer(150), tea: offer(480) },
  stock: { pen: 20_000 },
  maxLineQuantity: 99,
  maxBasketLines: 1,
};
const shop = basketIn(floor);
const none = given(shop);
const own = none.after(replaceGoods({ mug: 2, pen: 3 }));
const quantities = (basket: typeof own) =>
  Object.fromEntries(viewOf(basket).lines.map(({ sku, quantity }) => [sku, quantity]));

// docs/rules/basket.md#replacing
describe('a basket whose goods are named all at once', () => {
  it('is started with them, in one event that is priced once', () => {
    none
      .when(replaceGoods({ mug: 2, pen: 3 }))
      .thenLike(
        ['BasketStarted'],
        ['BasketLinesReplaced', { itemCount: 5, 'pricing.totals.subTotal': 2850 }],
      );
    expect(quantities(own)).to.deep.equal({ mug: 2, pen: 3 });
  });

  it('keeps the lines of what stays, in their places', () => {
    const after = own.after(replaceGoods({ tea: 1, pen: 4 }));
    own.when(replaceGoods({ tea: 1, pen: 4 })).thenLike([
      'BasketLinesReplaced',
      {
        'pricing.totals.subTotal': 480 + 600,
        changed: [
          {
            lineId: lineOf('pen').lineId,
            productId: idNamed('pen'),
            ...{ sku: 'pen', name: 'pen, blue', quantity: 4, oldQuantity: 3 },
          },
        ],
      },
    ]);
    expect(viewOf(after).lines.map(({ sku }) => sku)).to.deep.equal(['pen', 'tea']);
  });

  it('records nothing when it holds them already, withdrawn ones too', () => {
    own.when(replaceGoods({ pen: 3, mug: 2 })).thenNothing();
    own
      .now(basketIn({ ...floor, withdrawn: ['mug'] }))
      .when(replaceGoods({ mug: 2, pen: 3 }))
      .thenNothing();
  });

  it('goes by the stock and not by the limits of a shopper’s basket', () => {
    own.when(replaceGoods({ pen: 20_000 })).thenLike(['BasketLinesReplaced', { itemCount: 20_000 }]);
    own
      .when(replaceGoods({ pen: 20_001 }))
      .thenRefused('out-of-stock', { requestedQuantity: 20_001, availableQuantity: 20_000 });
    own.when(replaceGoods({ mug: 10_000_000 })).thenRefused('quantity-too-large');
    own.when(replaceGoods({ mug: 2, nothing: 1 })).thenRefused('product-not-found');
  });

  it('loses the discounts that it does not have any more, and says so', () => {
    const code = percentOff('TEN', 10, { method: 'Automatic', code: null, minimumPurchaseAmount: 1000 });
    const discounted = basketIn({ ...floor, maxBasketLines: 9, discounts: [code] });
    const [, last] = given(discounted)
      .after(add('mug', 1))
      .when(replaceGoods({ pen: 1 }))
      .events();
    expect(viewOf(given(discounted).after(add('mug', 1))).discounts).to.have.length(1);
    expect(last?.type).to.equal('AutomaticDiscountDropped');
  });
});
