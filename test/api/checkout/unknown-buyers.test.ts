import { expect } from 'chai';
import type { AgentBuyer } from '#command/contexts/checkout/checkout.commands.ts';
import { newId } from '#kernel/ids.ts';
import { emptyAddress } from '#values/address.ts';
import { manage, pay } from '#test/support/requests.ts';
import { refusedFor } from '#test/support/scene.ts';
import { Customer, openMemberShop, type MemberShop } from '#test/support/member-shop.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import type { Shopper, TestShop } from '#test/support/shop.ts';

const somewhere = { ...emptyAddress, countryCode: 'GB', country: 'United Kingdom' };
const nobody: AgentBuyer = {
  email: null,
  firstName: null,
  lastName: null,
  billingAddress: somewhere,
  shippingAddress: somewhere,
  acceptsMarketing: false,
};
const source = {
  type: 'ucp',
  displayName: 'Shopping assistant',
  sourceName: 'UCP',
  sourceId: 'https://agent.example/profile',
  sessionId: newId(),
} as const;
const management = '/backoffice/api/v1';

// docs/rules/orders.md#without-a-customer
describe('a sale of which only the country is known', () => {
  let opened: MemberShop;
  let shop: TestShop;
  let mug: string;
  before(async () => {
    opened = await openMemberShop();
    shop = opened.shop;
    mug = await shop.sell('mug', { price: 10, stock: 100 });
    const once = { name: 'Once', category: 'AmountOffOrder', method: 'Code', valueType: 'Percentage' };
    await shop.admin.post(`${management}/discounts`, {
      ...{ ...once, value: 10, code: 'ONCE', perCustomerUsageLimit: 1 },
    });
    await shop.settle();
  });
  after(() => opened.close());

  const checkout = () => shop.shop.command.deps.apis.checkout;
  const meta = () => ({
    ...{ correlationId: newId(), causationId: newId(), commandId: newId() },
    actor: { kind: 'agent', id: 'https://agent.example/profile' } as const,
  });
  const named = async (buyer: Partial<AgentBuyer> = {}): Promise<Shopper> => {
    const shopper = shop.shopper();
    await shopper.add(mug, 2);
    await checkout().nameBuyer(shopper.basketId, { ...nobody, ...buyer }, null, meta());
    return shopper;
  };
  const place = async (shopper: Shopper): Promise<string> => {
    const asked = { hasAcceptedTerms: true, wantedCurrency: undefined, shown: null, ip: '' };
    const buyer = { ...asked, mayStayUnknown: true, source };
    return (await checkout().placeOrder(shopper.basketId, buyer, meta())).invoiceId;
  };
  const shown = async (path: string) => (await shop.admin.ask(manage.get(path))).body;
  const eventOf = async (invoiceId: string, type: string) =>
    (await eventsIn(shop)).find((event) => event.type === type && event.stream === `invoice-${invoiceId}`);

  it('goes through without a customer, its personal fields under the key of the basket', async () => {
    const shopper = await named();
    await shopper.applyCode('ONCE');
    const { basketId } = shopper;
    const invoiceId = await place(shopper);
    expect((await shopper.payWith(invoiceId)).body).to.include({ status: 'Completed' });
    await shop.settle();
    const order = await shown(`/orders/${invoiceId}`);
    expect(order).to.deep.include({ customerId: null, paymentStatus: 'Paid' });
    expect(order.billingAddress).to.include({ countryCode: 'GB', name: '' });
    expect((await shown('/customers')).totalItems).to.equal(0);
    const created = await eventOf(invoiceId, 'InvoiceCreated');
    expect(created?.metadata.subject).to.equal(basketId);
    expect(created?.data).to.deep.nested.include({ email: null, 'content.source': source });
    expect(await opened.mails()).to.deep.equal([]);
    const { items } = await shown('/emails');
    const { id } = items.find(({ topic }: { topic: string }) => topic === 'order.created');
    expect((await shown(`/emails/${id}/deliveries`)).totalItems).to.equal(0);
  });

  it('counts in reports, and is called off like any other', async () => {
    const shopper = await named();
    const invoiceId = await place(shopper);
    await shopper.payWith(invoiceId);
    await shop.settle();
    const nameless = { customerName: null, sourceType: 'ucp' };
    expect((await shown('/orders')).items[0]).to.deep.include({ id: invoiceId, ...nameless });
    const always = { fromDate: '2020-01-01', toDate: '2099-12-31' };
    const exported = await shop.admin.ask(manage.post('/orders/export', always));
    expect(exported.body).to.have.length(2);
    for (const row of exported.body) expect(row).to.include({ ...nameless, billingName: null });
    const statistics = async () => JSON.stringify(await shown('/orders/stats'));
    const counted = await statistics();
    const cancelled = await shop.admin.ask(manage.post(`/orders/${invoiceId}/cancel`, { reason: 'No' }));
    expect(cancelled.status, JSON.stringify(cancelled.body)).to.equal(200);
    await shop.settle();
    expect(await statistics()).to.not.equal(counted);
    expect((await eventOf(invoiceId, 'InvoiceCleared'))?.type).to.equal('InvoiceCleared');
  });

  it('has a customer as soon as there is an e-mail address, even without a name, and no checkout is abandoned', async () => {
    const shopper = await named({ email: 'Grace@Example.com' });
    const invoiceId = await place(shopper);
    await shopper.payWith(invoiceId);
    await shop.settle();
    const { customerId } = await shown(`/orders/${invoiceId}`);
    expect(await shown(`/customers/${customerId}`)).to.include({
      email: 'grace@example.com',
      firstName: null,
      orderCount: 1,
    });
    expect((await eventsIn(shop)).filter(({ data }) => 'opens' in (data as object))).to.deep.equal([]);
    expect((await opened.mails()).map(({ to }) => to)).to.deep.equal(['Grace@Example.com']);
  });

  it('is nobody else’s, not even of a member who has no customer yet', async () => {
    const shopper = await named();
    const invoiceId = await place(shopper);
    const member = new Customer(shop.base);
    await member.enter('eve@example.com', mug);
    const seen = await member.get(`/api/shop/checkout/confirmation/${invoiceId}`);
    expect(seen.status).to.equal(403);
  });

  it('is refused at the storefront’s own checkout, which needs an e-mail address and a whole address', async () => {
    for (const known of [{}, { email: 'grace@example.com' }]) {
      const shopper = await named(known);
      await shop.given().by(shopper).when(pay()).then(400).and(refusedFor('checkout-incomplete'));
    }
  });
});
