import { expect } from 'chai';
import type { BasketView } from '#events/basket-view.ts';
import { add, basketIn, idNamed, offer, setQuantity, viewOf } from '#test/support/builders/basket.ts';
import { given } from '#test/support/given.ts';

const offers = { mug: offer(1200, 20), pen: offer(150), tea: offer(480, 5) };
const shop = basketIn({ offers });
const own = given(shop).after(add('mug', 2));
const fromBasketId = idNamed('the cookie basket');

const mergeOf = ({ lines, codes }: BasketView) =>
  ({ type: 'MergeBasket', fromBasketId, lines, codes }) as const;
const quantities = (basket: typeof own) =>
  Object.fromEntries(viewOf(basket).lines.map(({ sku, quantity }) => [sku, quantity]));

describe('a basket that another one is merged into', () => {
  const brought = viewOf(given(shop).after(add('mug', 3), add('tea')));

  it('has the goods of both, one line for the same goods, priced together', () => {
    own
      .when(mergeOf(brought))
      .thenLike([
        'BasketMerged',
        { fromBasketId, itemCount: 6, leftOut: [], 'pricing.totals.subTotal': 5 * 1200 + 480 },
      ]);
    const merged = own.after(mergeOf(brought));
    expect(quantities(merged)).to.deep.equal({ mug: 5, tea: 1 });
    expect(viewOf(merged).lines[0]?.lineId, 'the line of before').to.equal(viewOf(own).lines[0]?.lineId);
  });

  it('takes nothing twice: a repeat adds only what has come in since', () => {
    const merged = own.after(mergeOf(brought));
    merged.when(mergeOf(brought)).thenNothing();
    const [mugs] = brought.lines;
    const more = {
      ...brought,
      lines: brought.lines.map((line) => (line === mugs ? { ...line, quantity: 4 } : line)),
    };
    expect(quantities(merged.after(mergeOf(more)))).to.deep.equal({ mug: 6, tea: 1 });
  });

  it('fills a line up to its limit, and says so', () => {
    const small = basketIn({ offers, maxLineQuantity: 4 });
    const merged = own.now(small).after(mergeOf(brought));
    expect(quantities(merged)).to.deep.equal({ mug: 4, tea: 1 });
    own
      .now(small)
      .when(mergeOf(brought))
      .thenLike(['BasketMerged', { leftOut: ['mug: a line holds at most 4 of one product.'] }]);
  });

  it('keeps lines up to the limit, and says so', () => {
    const small = basketIn({ offers, maxBasketLines: 1 });
    const merged = own.now(small).after(mergeOf(brought));
    expect(quantities(merged)).to.deep.equal({ mug: 5 });
    own
      .now(small)
      .when(mergeOf(brought))
      .thenLike(['BasketMerged', { leftOut: ['tea: a basket holds at most 1 lines.'] }]);
  });
});

describe('a basket that was merged into another one', () => {
  const { lines } = viewOf(own);
  const end = { type: 'EndMergedBasket', lines } as const;

  it('ends, once', () => {
    own.when(end).thenLike(['BasketCleared', {}]);
    own.after(end).when(end).thenNothing();
  });

  it('stays open if something was added since', () => {
    own.after(add('tea')).when(end).thenRefused('conflict');
    own.after(setQuantity('mug', 5)).when(end).thenRefused('conflict');
    own.after(setQuantity('mug', 1)).when(end).thenLike(['BasketCleared', {}]);
  });
});
