import { expect } from 'chai';
import { add, giveAddresses, initialize, manage, pay, post } from '#test/support/requests.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop } from '#test/support/shop.ts';

interface Line {
  readonly id: string;
  readonly sku: string;
}

/** docs/rules/invoice-editing.md#one-edit, docs/rules/invoice-editing.md#discounts */
describe('An edit that is taken back, or takes a line out', () => {
  let shop: TestShop;
  let mug: string;
  let tea: string;
  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 100 });
    tea = await shop.sell('tea', { price: 4, stock: 100 });
    await shop.discount('TEN', 10);
  });
  after(() => shop.close());

  const ask = async (request: ReturnType<typeof post>) => {
    const answer = await shop.admin.ask(request);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body;
  };
  const shown = (id: string) => ask(manage.get(`/orders/${id}/edit`));
  const edit = async (id: string, body: object) =>
    (await ask(manage.put(`/orders/${id}/edit`, body))).invoice;
  const lineOf = async (id: string, sku: string): Promise<string> => {
    const { orders } = (await shown(id)) as { orders: readonly { lineItems: readonly Line[] }[] };
    const found = orders.flatMap(({ lineItems }) => lineItems).find((line) => line.sku === sku);
    return found?.id ?? expect.fail(`there is no line of ${sku}`);
  };
  const figures = ({ total, tax, discountTotal, balanceDue, creditDue }: Record<string, number>) => [
    ...[total, tax, discountTotal, balanceDue, creditDue],
  ];
  /** Paid: two mugs and two teas, 10 % off. */
  const buy = async (): Promise<string> => {
    const shopper = shop.shopper();
    await shopper.add(mug, 2);
    await shopper.add(tea, 2);
    expect((await shopper.applyCode('TEN')).status).to.equal(200);
    await shopper.giveAddress();
    await shopper.initialize();
    const { invoiceId } = (await shopper.pay()).body;
    await shopper.payWith(invoiceId);
    await shop.settle();
    return invoiceId;
  };
  const refundsOf = async (id: string): Promise<readonly string[]> => {
    await shop.settle();
    return (await eventsIn(shop))
      .filter(({ stream, type }) => stream === `invoice-${id}` && type.includes('Refund'))
      .map(({ type }) => type);
  };

  it('leaves nothing to be refunded of what was added and taken out again before it was paid', async () => {
    const id = await buy();
    const before = figures(await shown(id));
    // Goods of 28.00 less 2.80, tax of 20 %, shipping 5.00.
    expect(before).to.deep.equal([35.24, 5.04, 2.8, 0, 0]);
    const added = await edit(id, { productsToAdd: [{ productId: tea, quantity: 3 }] });
    expect(figures(added)).to.deep.equal([49.64, 7.44, 2.8, 14.4, 0]);
    const newest = added.orders[0].lineItems.at(-1) as Line;
    const back = await edit(id, { removedLineItems: [{ id: newest.id, shouldReturnToStock: true }] });
    expect(figures(back)).to.deep.equal(before);
    expect(await ask(manage.get(`/orders/${id}`))).to.include({ paymentStatus: 'Paid', creditDue: 0 });
    expect(await refundsOf(id)).to.deep.equal([]);
  });

  it('takes the share of a discount with the line: the buyer gets back what was paid for it, no more', async () => {
    const id = await buy();
    const gone = await edit(id, {
      removedLineItems: [{ id: await lineOf(id, 'tea'), shouldReturnToStock: true }],
    });
    // Teas of 8.00 less their 0.80, with 1.44 of tax.
    expect(figures(gone)).to.deep.equal([26.6, 3.6, 2, 0, 8.64]);
    expect(await refundsOf(id)).to.deep.equal([]);
  });
});

const wrap = {
  id: '6f6b1c1e-8f0a-4a55-9a65-2f8d5a7d2f01',
  name: 'Wrap',
  isVariant: false,
  values: [{ id: '6f6b1c1e-8f0a-4a55-9a65-2f8d5a7d2f02', name: 'Gold', priceAdjustment: 2.5 }],
};
const gold = { optionId: wrap.id, valueId: wrap.values[0]?.id ?? '' };

/** docs/rules/inventory.md */
describe('Two lines of one product', () => {
  let shop: TestShop;
  before(async () => {
    shop = await TestShop.open();
  });
  after(() => shop.close());

  it('in two orders at once never sell more than there is', async () => {
    const vase = await shop.sell('vase', { price: 10, stock: 3, options: [wrap] });
    const wrapped = post('/api/shop/storefront/basket/add', { productId: vase, quantity: 1, addons: [gold] });
    const shoppers = await Promise.all(
      [1, 2].map(async () => {
        const shopper = shop.shopper();
        for (const step of [add(vase, 1), wrapped, giveAddresses(), initialize()])
          expect((await shopper.ask(step)).status).to.equal(200);
        return shopper;
      }),
    );
    const answers = await Promise.all(shoppers.map((shopper) => shopper.ask(pay())));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
    await shop.settle();
    const reserved = (await eventsIn(shop))
      .filter(
        ({ stream, data }) =>
          stream.startsWith('stock-') && (data as { productId?: string }).productId === vase,
      )
      .map(({ data }) => (data as { reserved?: number }).reserved ?? 0);
    expect(Math.max(...reserved)).to.be.at.most(3);
    expect(reserved.at(-1)).to.equal(2);
  });

  it('in one basket are taken together: the second finds what the first leaves', async () => {
    const bowl = await shop.sell('bowl', { price: 10, stock: 3, options: [wrap] });
    const shopper = shop.shopper();
    expect((await shopper.ask(add(bowl, 2))).status).to.equal(200);
    const more = { productId: bowl, quantity: 2, addons: [gold] };
    const refused = await shopper.ask(post('/api/shop/storefront/basket/add', more));
    expect(refused.status).to.equal(400);
  });
});
