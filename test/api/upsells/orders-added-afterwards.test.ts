import { expect } from 'chai';
import { addAfterwards, buyerAt, offeringRule, type Buyer } from '#test/support/buying-shop.ts';
import { openMemberShop, type MemberShop } from '#test/support/member-shop.ts';
import { manage } from '#test/support/requests.ts';

interface ShownOrder {
  readonly status: string;
  readonly lineItems: readonly { readonly productId: string }[];
}

// docs/rules/post-purchase.md
describe('Orders to which something is added after a purchase', () => {
  let opened: MemberShop;
  let mug: string;
  let song: string;
  let plate: string;
  const rules = new Map<string, string>();
  before(async () => {
    opened = await openMemberShop();
    const { shop } = opened;
    mug = await shop.sell('mug', { price: 10, stock: 100 });
    song = await shop.sell('song', { price: 2, isDigital: true });
    const address = { countryCode: 'GB' };
    const leeds = (await shop.admin.ask(manage.post('/warehouses', { name: 'Leeds', address }))).body.id;
    await shop.settle();
    const van = { name: 'Van', warehouseId: leeds, fixedCost: 3 };
    await shop.admin.ask(manage.post('/shipping-options', van));
    const more = { warehouses: [{ warehouseId: leeds }], stock: [{ warehouseId: leeds, stock: 50 }] };
    plate = await shop.sell('plate', { price: 4, more });
    for (const offered of [song, plate])
      rules.set(offered, (await shop.admin.ask(offeringRule(mug, offered))).body.id as string);
    await shop.settle();
  });
  after(() => opened.close());

  const adds = ({ customer, invoiceId, methodId }: Buyer, productId: string) =>
    customer.ask(
      addAfterwards(invoiceId, {
        productId,
        quantity: 1,
        upsellRuleId: rules.get(productId),
        savedPaymentMethodId: methodId,
        idempotencyKey: 'first',
      }),
    );
  const ordersOf = async ({ invoiceId }: Buyer): Promise<readonly (readonly [string, number])[]> => {
    await opened.shop.settle();
    const { body } = await opened.shop.admin.ask(manage.get(`/orders/${invoiceId}`));
    return (body.orders as ShownOrder[]).map(({ status, lineItems }) => [status, lineItems.length] as const);
  };

  it('sends an order that is opened for it, too', async () => {
    const buyer = await buyerAt(opened.shop, mug);
    const added = await adds(buyer, plate);
    expect([added.status, added.body.amountCharged]).to.deep.equal([200, 7.8]);
    expect(await ordersOf(buyer)).to.deep.equal([
      ['ReadyToFulfill', 1],
      ['ReadyToFulfill', 1],
    ]);
  });

  it('adds nothing to an order that is complete', async () => {
    const buyer = await buyerAt(opened.shop, mug, { more: [plate] });
    await opened.shop.settle();
    const { body } = await opened.shop.admin.ask(manage.get(`/orders/${buyer.invoiceId}`));
    const [{ id: firstId }] = body.orders as [{ id: string }];
    for (const status of ['ReadyToFulfill', 'Completed']) {
      const moved = await opened.shop.admin.ask(manage.put(`/orders/${firstId}/status`, { status }));
      expect(moved.status, moved.text).to.equal(200);
    }
    const added = await adds(buyer, song);
    expect([added.status, added.body.message]).to.deep.equal([200, undefined]);
    expect(await ordersOf(buyer)).to.deep.equal([
      ['Completed', 1],
      ['ReadyToFulfill', 2],
    ]);
  });
});
