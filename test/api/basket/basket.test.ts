import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import {
  add,
  changeFirstLine,
  changeLine,
  clearBasket,
  keyed,
  post,
  takeOut,
  takeOutFirstLine,
} from '#test/support/requests.ts';
import { body, events, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

describe('a basket', () => {
  let shop: TestShop;
  let mug: string;
  let pen: string;
  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 12 });
    pen = await shop.sell('pen', { price: 1.5, stock: 3 });
  });
  after(() => shop.close());

  describe('POST /basket/add', () => {
    it('gives a first-time shopper a basket, a cookie and the priced basket, spread and under its name', async () => {
      const shopper = shop.shopper();
      const told = { success: true, message: '', itemCount: 2, subTotal: 24, tax: 4.8, total: 28.8 };
      const answer = await shop
        .given()
        .by(shopper)
        .when(add(mug, 2))
        .then(200, told)
        .and(events('BasketStarted', 'BasketLineAdded'));
      expect(shopper.basketId).to.equal(answer.body.id);
      const { basket, success: _, message: __, ...spread } = answer.body;
      expect(basket).to.deep.equal(spread);
    });

    it('adds one when nobody says how many, and to the line that is there already', async () => {
      await shop
        .given(add(mug))
        .when(add(mug, 2))
        .then(200, { itemCount: 3 })
        .and(body(({ lineItems }) => expect(lineItems).to.have.length(1)))
        .and(events('BasketLineQuantityChanged'));
    });

    it('refuses quantities that are none, unknown products and add-ons', async () => {
      for (const quantity of [0, -1, 1.5, '2', null])
        await shop.given().when(add(mug, quantity)).then(400).and(refusedFor('invalid-request'));
      await shop.given().when(add('mug')).then(400).and(refusedFor('invalid-request'));
      await shop.given().when(add(newId())).then(400).and(refusedFor('product-not-found'));
      const shopper = shop.shopper();
      const addons = [{ optionId: newId(), valueId: newId() }];
      const withAddOn = post('/api/shop/storefront/basket/add', { productId: mug, addons });
      await shop
        .given()
        .by(shopper)
        .when(withAddOn)
        .then(400)
        .and(refusedFor('add-on-invalid'))
        .and(noNewEvents());
      expect(shopper.cookies.has('shop_basket')).to.equal(false);
    });

    it('names both numbers when there is not enough', async () => {
      const message = 'Product pen: 4 requested, 3 available.';
      await shop
        .given(add(pen, 2))
        .when(add(pen, 2))
        .then(400, { success: false, message, requestedQuantity: 4, availableQuantity: 3 })
        .and(refusedFor('out-of-stock'))
        .and(noNewEvents());
    });

    it('ignores a cookie that nobody gave out, and gives a new one', async () => {
      const made = newId();
      const shopper = shop.shopper();
      shopper.cookies.set('shop_basket', made);
      await shop.given().by(shopper).when(add(mug)).then(200);
      expect(shopper.basketId).to.not.equal('').and.not.equal(made);
    });

    it('adds once when the same command comes twice', async () => {
      const twoMore = keyed('two more', add(mug, 2));
      await shop.given(add(mug), twoMore).when(twoMore).then(200, { itemCount: 3 }).and(noNewEvents());
    });

    it('ignores fields that it does not know', async () => {
      const more = { productId: mug, colour: 'red' };
      await shop.given().when(post('/api/shop/storefront/basket/add', more)).then(200);
    });
  });

  describe('POST /basket/update', () => {
    it('sets a quantity, by either name of the line', async () => {
      await shop.given(add(mug)).when(changeFirstLine(4)).then(200, { itemCount: 4 });
      await shop
        .given(add(mug))
        .when(({ body: { lineItems } }) => changeLine({ id: lineItems[0].id, quantity: 5 }))
        .then(200, { itemCount: 5 })
        .and(events('BasketLineQuantityChanged'));
    });

    it('takes the line out at nothing or less, and shows the empty form when it was the last', async () => {
      const empty = { success: true, isEmpty: true, lineItems: [], itemCount: 0, currencySymbol: '£' };
      const steps = [add(mug), changeFirstLine(0)] as const;
      await shop.given(add(mug)).when(changeFirstLine(-1)).then(200, empty).and(events('BasketLineRemoved'));
      await shop
        .given(...steps)
        .when(add(pen))
        .then(200, { itemCount: 1 });
    });

    it('refuses what the stock does not allow, unknown lines, and shoppers without a basket', async () => {
      const unknown = { lineItemId: newId(), quantity: 1 };
      await shop.given(add(pen)).when(changeFirstLine(4)).then(400).and(refusedFor('out-of-stock'));
      await shop.given(add(pen)).when(changeLine(unknown)).then(400).and(refusedFor('line-not-found'));
      for (const half of [{ quantity: 1 }, { lineItemId: newId() }])
        await shop.given(add(pen)).when(changeLine(half)).then(400).and(refusedFor('invalid-request'));
      await shop.given().when(changeLine(unknown)).then(400).and(refusedFor('basket-not-found'));
    });
  });

  describe('DELETE /basket/{lineItemId}', () => {
    it('takes a line out, and again without complaint', async () => {
      const shopper = shop.shopper();
      const { body: both } = await shop.given(add(pen)).by(shopper).when(add(mug)).then(200);
      for (const happened of [['BasketLineRemoved'], []]) {
        const wanted = shop.given().by(shopper).when(takeOut(both.lineItems[0].id));
        await wanted.then(200, { itemCount: 1 }).and(events(...happened));
      }
      await shop.given(add(mug)).when(takeOutFirstLine).then(200, { isEmpty: true });
    });

    it('shows the empty form to a shopper without a basket', async () => {
      await shop.given().when(takeOut(newId())).then(200, { isEmpty: true, basket: null });
    });
  });

  describe('POST /basket/clear', () => {
    it('forgets basket and cookie; the next add starts afresh', async () => {
      const shopper = shop.shopper();
      const cleared = { success: true, basket: null, isEmpty: true };
      await shopper.add(mug);
      const old = shopper.cookies.get('shop_basket') ?? expect.fail('no cookie');
      await shop.given().by(shopper).when(clearBasket()).then(200, cleared).and(events('BasketCleared'));
      expect(shopper.cookies.has('shop_basket')).to.equal(false);
      shopper.cookies.set('shop_basket', old);
      await shop.given().by(shopper).when(add(pen)).then(200, { itemCount: 1 });
      expect(shopper.cookies.get('shop_basket')).to.not.equal(old);
    });

    it('has nothing against clearing nothing', async () => {
      await shop.given().when(clearBasket()).then(200).and(noNewEvents());
    });
  });
});
