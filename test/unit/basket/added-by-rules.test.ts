import {
  basketIn,
  add,
  idNamed,
  lineOf,
  offer,
  setQuantity,
  takeOut,
} from '#test/support/builders/basket.ts';
import { given } from '#test/support/given.ts';

const offers = { mug: offer(1200, 20), cup: offer(500) };
const shop = basketIn({ offers });
const upsellRuleId = idNamed('rule');
const addUpsell = (sku: string) => ({ type: 'AddUpsell', upsellRuleId, productId: idNamed(sku) }) as const;
const withMug = given(shop).after(add('mug', 2));
const withCup = withMug.after(addUpsell('cup'));

describe('what a rule puts into a basket', () => {
  it('is a normal line of one unit, priced like any other, that knows its rule', () => {
    const line = { ...lineOf('cup'), autoAddedByUpsellRule: upsellRuleId };
    withMug
      .when(addUpsell('cup'))
      .thenLike(['BasketLineAdded', { line, quantity: 1, itemCount: 3, 'pricing.totals.subTotal': 2900 }]);
    withCup
      .when(setQuantity('cup', 4))
      .thenLike(['BasketLineQuantityChanged', { oldQuantity: 1, quantity: 4 }]);
  });

  it('is added once, and not if the shopper already has it', () => {
    withCup.when(addUpsell('cup')).thenNothing();
    withMug.when(addUpsell('mug')).thenNothing();
  });

  it('does not come back after the shopper has removed it, either way', () => {
    withCup.after(takeOut('cup')).when(addUpsell('cup')).thenNothing();
    withCup.after(setQuantity('cup', 0)).when(addUpsell('cup')).thenNothing();
    withCup
      .after(takeOut('cup'))
      .when(add('cup'))
      .thenLike(['BasketLineAdded', { quantity: 1 }]);
  });

  it('is still added after the shopper has removed their own unit of it', () => {
    withMug.after(add('cup')).after(takeOut('cup')).when(addUpsell('cup')).thenLike(['BasketLineAdded', {}]);
  });

  it('adds no unknown product, and starts no basket', () => {
    withMug.when(addUpsell('spoon')).thenNothing();
    given(shop).when(addUpsell('cup')).thenRefused('basket-not-found');
  });
});
