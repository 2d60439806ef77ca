import { expect } from 'chai';
import { DistributedShop, sharedMemory } from '#test/support/distributed-shop.ts';

describe('F03 with two replicas of the command service, and no stickiness', () => {
  let shop: DistributedShop;
  before(async () => {
    shop = await DistributedShop.open({ engines: sharedMemory().open, replicas: { command: 2 } });
  });
  after(() => shop.close());

  it('adds in parallel to one basket, and loses no line and no piece', async () => {
    const products: string[] = [];
    for (let index = 0; index < 10; index++) products.push(await shop.sell(`product-${index}`, { price: 1 }));
    const mug = await shop.sell('mug', { price: 5, stock: 100 });
    const shopper = shop.shopper();
    await shopper.add(mug);

    const adds = [...products, ...Array.from({ length: 20 }, () => mug)];
    const answers = await Promise.all(adds.map((product) => shopper.add(product)));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));

    await shop.settle();
    const { body } = await shopper.basket();
    const lines = body.lineItems as readonly { readonly quantity: number }[];
    expect(lines.map(({ quantity }) => quantity).toSorted((a, b) => a - b)).to.deep.equal([
      ...products.map(() => 1),
      21,
    ]);
  });

  it('does once what is sent to both under one idempotency key', async () => {
    const cup = await shop.sell('cup', { price: 5 });
    const shopper = shop.shopper();
    await shopper.add(cup);
    const again = { 'Idempotency-Key': 'one more' };
    const path = '/api/shop/storefront/basket/add';
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => shopper.post(path, { productId: cup, quantity: 1 }, again)),
    );
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    expect((await shopper.basket()).body.itemCount).to.equal(2);
  });

  it('refuses nothing on what one replica remembers and another has changed', async () => {
    const tea = await shop.sell('tea', { price: 5, stock: 1 });
    const [one, other] = shop.replicas('command').map(({ at }) => at.shopper());
    if (!one || !other) return expect.fail('there are not two replicas');
    const added = await one.add(tea);
    for (const [name, value] of one.cookies) if (name !== 'shop_position') other.cookies.set(name, value);
    expect((await other.add(tea)).status).to.equal(400);
    await one.update(added.body.lineItems[0].id as string, 0);
    other.cookies.delete('shop_position');
    const answer = await other.add(tea);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    expect(answer.body.itemCount).to.equal(1);
  });
});
