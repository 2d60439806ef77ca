import { expect } from 'chai';
import type { WhyResponse } from '#contracts/why.contract.ts';
import { get, manage, post, withHeaders } from '#test/support/requests.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';
import { abandonedCheckoutId } from '#values/abandoned-checkout.ts';

const path = '/backoffice/api/v1/audit/why';

/** docs/rules/why.md */
describe('why a figure is what it is', () => {
  let shop: TestShop;
  let buyer: Shopper;
  let mug: string;
  let discountId: string;
  let invoiceId: string;
  let customerId: string;

  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 100 });
    discountId = await shop.discount('TENTH', 10, 5);
    buyer = shop.shopper();
    await buyer.prepare(mug, 2, 'ada@example.com');
    await buyer.applyCode('TENTH');
    invoiceId = (await buyer.pay()).body.invoiceId as string;
    expect((await buyer.payWith(invoiceId)).status).to.equal(200);
    customerId = (await shop.shown(`/orders/${invoiceId}`)).customerId as string;
  });
  after(() => shop.close());

  const why = async (view: string, key: string, figure?: string): Promise<WhyResponse> => {
    await shop.settle();
    const asked = figure === undefined ? '' : `?figure=${encodeURIComponent(figure)}`;
    const { status, body, text } = await shop.admin.get(`${path}/${view}/${encodeURIComponent(key)}${asked}`);
    expect(status, text).to.equal(200);
    expect(body.addsUp, `${view} ${text}`).to.equal(true);
    expect(
      body.items.reduce((sum: number, one: { contribution: number }) => sum + one.contribution, 0),
    ).to.equal(body.value);
    return body as WhyResponse;
  };
  const told = ({ items }: WhyResponse) => items.map(({ type, contribution }) => [type, contribution]);

  it('is said of an order, a customer and a stock level', async () => {
    const order = await why('orders', invoiceId);
    expect(told(order)[0]?.[0]).to.equal('InvoiceCreated');
    const paid = await why('orders', invoiceId, 'balance.amountPaid');
    expect(told(paid)).to.deep.equal([['PaymentCaptured', order.value]]);
    expect(told(await why('customers', customerId, 'orderCount'))).to.deep.equal([
      ['CustomerSaleRecorded', 1],
    ]);
    expect(told(await why('stockLevels', mug, 'rows.*.stock'))).to.deep.equal([['StockRowOpened', 100]]);
    expect(told(await why('stockLevels', mug, 'rows.*.reserved'))).to.deep.equal([['StockReserved', 2]]);
  });

  it('is said of the uses of a discount, which are found by the journals', async () => {
    const uses = await why('discountUses', `${discountId} all`, 'uses');
    expect(told(uses)).to.deep.equal([['SaleConfirmed', 1]]);
    expect(uses.items[0]?.stream).to.equal(`invoice-${invoiceId}`);
    // A tenth of two mugs at 10.
    expect((await why('discountUses', `${discountId} all`, 'amount')).value).to.equal(200);
    expect(told(await why('discounts', discountId, 'claimed'))).to.deep.equal([['DiscountUseClaimed', 1]]);
    expect(told(await why('discounts', discountId, 'sold'))).to.deep.equal([['SaleConfirmed', 1]]);
  });

  it('is said of a basket, and of a checkout whose basket was cleared', async () => {
    const shopper = shop.shopper();
    await shopper.add(mug, 3);
    await shopper.ask(post('/api/shop/checkout/capture-email', { email: 'bob@example.com' }));
    const { basketId } = shopper;
    expect(told(await why('basket', basketId, 'itemCount'))).to.deep.equal([['BasketLineAdded', 3]]);
    const checkout = abandonedCheckoutId(basketId);
    const left = await why('abandonedCheckouts', checkout);
    expect(told(left)).to.deep.equal([['CheckoutEmailCaptured', left.value]]);
    await shopper.ask(post('/api/shop/storefront/basket/clear'));
    expect((await why('abandonedCheckouts', checkout)).value).to.equal(left.value);
  });

  it('is told to analysts, who may not read the log, and names no person', async () => {
    const [email, password] = ['analyst@example.com', 'a-long-enough-password'];
    const { body } = await shop
      .given(manage.post('/users', { email, role: 'analyst', password }))
      .by(shop.admin)
      .when(manage.post('/sign-in', { email, password }))
      .then(200);
    const asAnalyst = (asked: string) =>
      shop.given().when(withHeaders({ Authorization: `Bearer ${body.token}` }, get(asked)));
    const answer = await asAnalyst(`${path}/customers/${customerId}`).then(200);
    expect(answer.text).to.not.include('ada');
    await asAnalyst(`${path}/customers/${customerId}?figure=fields.email`).then(404);
    await asAnalyst('/backoffice/api/v1/audit/events').then(403);
    await shop
      .given()
      .when(get(`${path}/orders/${invoiceId}`))
      .then(401);
  });

  it('still adds up once the buyer is forgotten', async () => {
    const before = await why('orders', invoiceId);
    const { status, text } = await shop.admin.ask(manage.post(`/customers/${customerId}/forget`));
    expect(status, text).to.be.below(300);
    expect((await why('orders', invoiceId)).value).to.equal(before.value);
    await why('discountUses', `${discountId} all`);
  });
});
