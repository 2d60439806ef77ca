import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { openBasketShop, type Answer } from '#test/support/basket-shop.ts';

const goods = { mug: { price: 1200 }, pen: { price: 150, stock: 3 } };

const linesOf = ({ body }: Answer) => body.lineItems as { readonly id: string; readonly quantity: number }[];
const firstLine = (answer: Answer): string => linesOf(answer)[0]?.id ?? expect.fail('no line');

describe('POST /basket/add', () => {
  it('gives a first-time shopper a basket, a cookie and the priced basket, spread and under its name', async () => {
    const shopper = (await openBasketShop(goods)).shopper();
    const answer = await shopper.add('mug', 2);
    expect(answer.body).to.deep.include({
      success: true,
      message: '',
      itemCount: 2,
      subTotal: 24,
      tax: 4.8,
      total: 28.8,
    });
    expect(answer.body.id).to.equal(shopper.basketId());
    const { basket, success: _, message: __, ...spread } = answer.body;
    expect(basket).to.deep.equal(spread);
  });

  it('adds one when nobody says how many, and to the line that is there already', async () => {
    const shopper = (await openBasketShop(goods)).shopper();
    await shopper.add('mug');
    const answer = await shopper.add('mug', 2);
    expect(linesOf(answer).map((line) => line.quantity)).to.deep.equal([3]);
  });

  it('refuses quantities that are none, unknown products and add-ons', async () => {
    const shopper = (await openBasketShop(goods)).shopper();
    for (const quantity of [0, -1, 1.5, '2', null]) {
      expect((await shopper.add('mug', quantity)).code, JSON.stringify(quantity)).to.equal('invalid-request');
    }
    expect((await shopper.post('/basket/add', { productId: 'mug' })).code).to.equal('invalid-request');
    expect((await shopper.add('hat')).code).to.equal('product-not-found');
    const addons = [{ optionId: newId(), valueId: newId() }];
    expect((await shopper.post('/basket/add', { productId: idNamed('mug'), addons })).code).to.equal(
      'add-on-invalid',
    );
    expect(shopper.basketId()).to.equal(null);
  });

  it('names both numbers when there is not enough', async () => {
    const shopper = (await openBasketShop(goods)).shopper();
    await shopper.add('pen', 2);
    const answer = await shopper.add('pen', 2);
    expect(answer.code).to.equal('out-of-stock');
    expect(answer.body).to.deep.equal({ requestedQuantity: 4, availableQuantity: 3 });
    expect(answer.message).to.equal('pen: 4 requested, 3 available.');
  });

  it('ignores a basket that is not there, and gives a new one', async () => {
    const made = newId();
    const shopper = (await openBasketShop(goods)).shopper(made);
    const answer = await shopper.add('mug');
    expect(answer.code).to.equal(null);
    expect(shopper.basketId()).to.be.a('string').and.not.equal(made);
  });

  it('adds once when the same command comes twice', async () => {
    const shop = await openBasketShop(goods);
    const shopper = shop.shopper();
    await shopper.add('mug');
    const commandId = newId();
    await shopper.add('mug', 2, { commandId });
    expect((await shopper.add('mug', 2, { commandId })).body.itemCount).to.equal(3);
  });

  it('ignores fields that it does not know', async () => {
    const shopper = (await openBasketShop(goods)).shopper();
    expect((await shopper.post('/basket/add', { productId: idNamed('mug'), colour: 'red' })).code).to.equal(
      null,
    );
  });
});

describe('POST /basket/update', () => {
  it('sets a quantity, by either name of the line', async () => {
    const shopper = (await openBasketShop(goods)).shopper();
    const id = firstLine(await shopper.add('mug'));
    expect((await shopper.post('/basket/update', { lineItemId: id, quantity: 4 })).body.itemCount).to.equal(
      4,
    );
    expect((await shopper.post('/basket/update', { id, quantity: 5 })).body.itemCount).to.equal(5);
  });

  it('takes the line out at nothing or less, and shows the empty form when it was the last', async () => {
    const shopper = (await openBasketShop(goods)).shopper();
    const id = firstLine(await shopper.add('mug'));
    const { body } = await shopper.post('/basket/update', { lineItemId: id, quantity: 0 });
    expect(body).to.deep.include({
      success: true,
      isEmpty: true,
      lineItems: [],
      itemCount: 0,
      currencySymbol: '£',
    });
    expect((await shopper.add('pen')).body.itemCount).to.equal(1);
  });

  it('refuses what the stock does not allow, unknown lines, and shoppers without a basket', async () => {
    const shop = await openBasketShop(goods);
    const shopper = shop.shopper();
    const lineItemId = firstLine(await shopper.add('pen'));
    expect((await shopper.post('/basket/update', { lineItemId, quantity: 4 })).code).to.equal('out-of-stock');
    expect((await shopper.post('/basket/update', { lineItemId: newId(), quantity: 1 })).code).to.equal(
      'line-not-found',
    );
    expect((await shopper.post('/basket/update', { quantity: 1 })).code).to.equal('invalid-request');
    expect((await shopper.post('/basket/update', { lineItemId })).code).to.equal('invalid-request');
    expect((await shop.shopper().post('/basket/update', { lineItemId, quantity: 1 })).code).to.equal(
      'basket-not-found',
    );
  });
});

describe('DELETE /basket/{lineItemId}', () => {
  it('takes a line out, and again without complaint', async () => {
    const shopper = (await openBasketShop(goods)).shopper();
    const id = firstLine(await shopper.add('mug'));
    await shopper.add('pen');
    expect((await shopper.remove(id)).body.itemCount).to.equal(1);
    expect((await shopper.remove(id)).body.itemCount).to.equal(1);
  });

  it('shows the empty form to a shopper without a basket', async () => {
    const { code, body } = await (await openBasketShop(goods)).shopper().remove(newId());
    expect({ code, ...body }).to.deep.include({ code: null, isEmpty: true, basket: null });
  });
});

describe('POST /basket/clear', () => {
  it('forgets basket and cookie; the next add starts afresh', async () => {
    const shop = await openBasketShop(goods);
    const shopper = shop.shopper();
    await shopper.add('mug');
    const old = shopper.basketId();
    expect((await shopper.post('/basket/clear', undefined)).body).to.deep.include({
      success: true,
      basket: null,
      isEmpty: true,
    });
    expect(shopper.basketId()).to.equal(null);
    const again = shop.shopper(old);
    expect((await again.add('pen')).body).to.deep.include({ itemCount: 1 });
    expect(again.basketId()).to.not.equal(old);
  });

  it('has nothing against clearing nothing', async () => {
    expect((await (await openBasketShop(goods)).shopper().post('/basket/clear', undefined)).code).to.equal(
      null,
    );
  });
});
