import { expect } from 'chai';
import { manage, post } from '#test/support/requests.ts';
import { TestShop } from '#test/support/shop.ts';

const wrap = {
  id: '6f6b1c1e-8f0a-4a55-9a65-2f8d5a7d2f01',
  name: 'Wrap',
  isVariant: false,
  values: [{ id: '6f6b1c1e-8f0a-4a55-9a65-2f8d5a7d2f02', name: 'Gold', priceAdjustment: 2.5 }],
};
const gold = { optionId: wrap.id, valueId: wrap.values[0]?.id ?? '' };

/** docs/rules/invoice-editing.md#discounts */
describe('What an edit does to codes with limits, offers and add-ons', () => {
  let shop: TestShop;
  let mug: string;
  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 100, options: [wrap] });
    await shop.discount('ONCE', 10, 1);
    await shop.discount('BOUGHT', 10, 1);
  });
  after(() => shop.close());

  interface Wanted {
    readonly quantity?: number;
    readonly code?: string;
    readonly addons?: readonly object[];
  }
  const buy = async ({ quantity = 1, code, addons }: Wanted = {}): Promise<string> => {
    const shopper = shop.shopper();
    if (addons)
      await shopper.ask(post('/api/shop/storefront/basket/add', { productId: mug, quantity, addons }));
    else await shopper.add(mug, quantity);
    if (code !== undefined) expect((await shopper.applyCode(code)).status).to.equal(200);
    await shopper.giveAddress();
    await shopper.initialize();
    const { invoiceId } = (await shopper.pay()).body;
    await shopper.payWith(invoiceId);
    await shop.settle();
    return invoiceId;
  };
  const shown = async (id: string) => (await shop.admin.ask(manage.get(`/orders/${id}/edit`))).body;
  const edit = (id: string, body: object) => shop.admin.ask(manage.put(`/orders/${id}/edit`, body));
  const made = async (id: string, body: object) => {
    const answer = await edit(id, body);
    expect([answer.status, answer.body.message]).to.deep.equal([200, undefined]);
    await shop.settle();
    return answer.body.invoice;
  };
  const withCode = (code: string) => ({ orderDiscountCodes: [code] });

  it('claims the last use once, for one of two edits at once, and gives it back with the discount', async () => {
    const [first, second] = [await buy(), await buy()];
    const answers = await Promise.all([edit(first, withCode('ONCE')), edit(second, withCode('ONCE'))]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
    await shop.settle();
    const [winner, other] = answers[0]?.status === 200 ? [first, second] : [second, first];
    expect((await edit(other, withCode('ONCE'))).body).to.include({ errorCode: 'UsageLimitReached' });
    const { orderDiscounts } = await shown(winner);
    await made(winner, { removedOrderDiscounts: [orderDiscounts[0].id] });
    expect((await made(other, withCode('ONCE'))).discountTotal).to.equal(1);
  });

  it('gives back the use of a sale whose discount is taken away', async () => {
    const [first, second] = [await buy({ code: 'BOUGHT' }), await buy()];
    expect((await edit(second, withCode('BOUGHT'))).status).to.equal(400);
    const { orderDiscounts } = await shown(first);
    expect((await made(first, { removedOrderDiscounts: [orderDiscounts[0].discountId] })).total).to.equal(17);
    expect((await made(second, withCode('BOUGHT'))).total).to.equal(15.8);
  });

  it('takes add-ons along with their line, and adds them with a product', async () => {
    const id = await buy({ quantity: 2, addons: [gold] });
    const [line, addon] = (await shown(id)).orders[0].lineItems;
    expect([line.lineTotal, addon.lineTotal, addon.parentLineItemId]).to.deep.equal([20, 5, line.id]);
    const alone = await edit(id, { lineItems: [{ id: addon.id, quantity: 1 }] });
    expect(alone.body.errors).to.deep.equal([
      'lineItems.0: must be the line of a product: its add-ons go with it',
    ]);
    expect(await made(id, { lineItems: [{ id: line.id, quantity: 1 }] })).to.include({
      subTotal: 12.5,
      tax: 2.5,
    });
    const added = await made(id, { productsToAdd: [{ productId: mug, quantity: 2, addons: [gold] }] });
    expect(added).to.include({ subTotal: 37.5, tax: 7.5 });
    const gone = await made(id, { removedLineItems: [{ id: line.id }] });
    expect([gone.subTotal, gone.orders[0].lineItems.length]).to.deep.equal([25, 2]);
  });

  it('lets units at full price leave an offer first, which never grows', async () => {
    const offer = {
      ...{ buyTriggerType: 'MinimumQuantity', buyTriggerValue: 2, getQuantity: 1 },
      ...{ buyTargetType: 'AllProducts', getTargetType: 'AllProducts' },
      ...{ getValueType: 'Free', selectionMethod: 'Cheapest' },
    };
    const rule = {
      category: 'BuyXGetY',
      valueType: 'Free',
      value: 0,
      buyXGetY: offer,
      perOrderUsageLimit: 1,
    };
    const ruleId = await shop.rule('Three for two', rule);
    const id = await buy({ quantity: 3 });
    await shop.admin.ask(manage.post(`/discounts/${ruleId}/deactivate`, {}));
    await shop.settle();
    const [line] = (await shown(id)).orders[0].lineItems;
    const off = async (quantity: number): Promise<readonly number[]> => {
      const { subTotal, discountTotal } = await made(id, { lineItems: [{ id: line.id, quantity }] });
      return [subTotal, discountTotal];
    };
    expect(await off(6)).to.deep.equal([60, 10]);
    expect(await off(2)).to.deep.equal([20, 10]);
    expect(await off(1)).to.deep.equal([10, 10]);
  });
});
