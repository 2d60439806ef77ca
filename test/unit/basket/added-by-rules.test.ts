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

  it('comes once, and not where the shopper has it already', () => {
    withCup.when(addUpsell('cup')).thenNothing();
    withMug.when(addUpsell('mug')).thenNothing();
  });

  it('does not come back once the shopper has taken it out, by whatever way', () => {
    withCup.after(takeOut('cup')).when(addUpsell('cup')).thenNothing();
    withCup.after(setQuantity('cup', 0)).when(addUpsell('cup')).thenNothing();
    withCup
      .after(takeOut('cup'))
      .when(add('cup'))
      .thenLike(['BasketLineAdded', { quantity: 1 }]);
  });

  it('comes after all where the shopper took out what they had put in themselves', () => {
    withMug.after(add('cup')).after(takeOut('cup')).when(addUpsell('cup')).thenLike(['BasketLineAdded', {}]);
  });

  it('is nothing where there is no such product, and no basket comes of it', () => {
    withMug.when(addUpsell('spoon')).thenNothing();
    given(shop).when(addUpsell('cup')).thenRefused('basket-not-found');
  });
});
