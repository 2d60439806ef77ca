import { expect } from 'chai';
import { customerNamed, customerOnAccount } from '#test/support/account-customers.ts';
import type { ApiResponse } from '#test/support/browser.ts';
import { faultyEventStore, holds, type FaultyEventStore } from '#test/support/faults.ts';
import { openMemberShop, type MemberShop } from '#test/support/member-shop.ts';
import { manage, payByHand } from '#test/support/requests.ts';
import { Browser } from '#test/support/browser.ts';
import type { TestShop } from '#test/support/shop.ts';
import { streamOf } from '#values/stream-name.ts';

/** docs/rules/forgetting.md#when */
describe('forgetting a customer is refused', () => {
  let members: MemberShop;
  let shop: TestShop;
  let log: FaultyEventStore;
  let tea: string;

  before(async () => {
    members = await openMemberShop({ wrapStore: (store) => (log = faultyEventStore(store)) });
    shop = members.shop;
    tea = await shop.sell('tea', { price: 10 });
  });
  after(() => members.close());

  const forget = (id: string, body: object = {}, by: Browser = shop.admin) =>
    by.ask(manage.post(`/customers/${id}/forget`, body));
  const isThere = async (id: string) => (await shop.admin.ask(manage.get(`/customers/${id}`))).status === 200;

  it('while they owe money, unless it is forced; paid later, it is theirs no more', async () => {
    const { shopper, customerId } = await customerOnAccount(members, 'owes@example.com', tea);
    const onAccount = { providerAlias: 'purchaseorder', methodAlias: 'purchaseorder' };
    const order = payByHand({ ...onAccount, formData: { purchaseOrderNumber: 'PO 4711' } });
    const { invoiceId } = (await shopper.ask(order)).body;
    await shop.settle();
    const refused = await forget(customerId);
    expect([refused.status, refused.code]).to.deep.equal([409, 'money-still-due']);
    expect(refused.body.message).to.include('one sale');
    expect(await isThere(customerId)).to.equal(true);

    expect((await forget(customerId, { force: true })).body).to.include({ status: 'Forgotten' });
    await shop.settle();
    const { body: seen } = await shop.admin.ask(manage.get(`/orders/${invoiceId}`));
    expect(seen).to.include({ customerEmail: null, purchaseOrder: null });
    const paid = manage.post(`/invoices/${invoiceId}/payments/manual`, {
      amount: seen.total,
      paymentMethod: 'Transfer',
    });
    expect((await shop.admin.ask(paid)).status).to.be.within(200, 201);
    await shop.settle();
    expect((await shop.admin.ask(manage.get(`/orders/${invoiceId}`))).body).to.include({
      paymentStatus: 'Paid',
    });
  });

  it('while an order of theirs is being placed, and not after that', async () => {
    const shopper = shop.shopper();
    await shopper.prepare(tea, 1, 'places@example.com');
    const customerId = await customerNamed(shop, 'places@example.com');
    let during: ApiResponse | undefined;
    log.runBefore('append', holds('InvoiceCreated'), async () => {
      during = await forget(customerId);
    });
    const placed = await shopper.pay();
    expect(placed.status, placed.text).to.equal(200);
    expect([during?.status, during?.code]).to.deep.equal([409, 'order-being-placed']);
    expect(await isThere(customerId)).to.equal(true);
    await shop.settle();
    expect((await forget(customerId)).body).to.include({ status: 'Forgotten' });
    const order = (await shop.admin.ask(manage.get(`/orders/${placed.body.invoiceId}`))).body;
    expect(order).to.include({ customerEmail: null });
  });

  it('never half-way: an order placed in the meantime has its buyer until the end', async () => {
    const shopper = shop.shopper();
    await shopper.prepare(tea, 1, 'hurries@example.com');
    const customerId = await customerNamed(shop, 'hurries@example.com');
    let placed: ApiResponse | undefined;
    let addressThen: unknown;
    log.runBefore('append', holds('ClaimReleased'), async () => {
      placed = await shopper.pay();
      const { codec, store } = shop.shop.runtime;
      const stream = await store.readStream(streamOf.invoice(placed.body.invoiceId));
      const [created] = await codec.decodeAll(stream);
      addressThen = (created?.data as { readonly billingAddress?: object }).billingAddress;
    });
    expect((await forget(customerId)).body).to.include({ status: 'Forgotten' });
    expect(placed?.status, placed?.text).to.equal(200);
    expect(addressThen).to.be.an('object');
    await shop.settle();
    const order = (await shop.admin.ask(manage.get(`/orders/${placed?.body.invoiceId}`))).body;
    expect(order).to.include({ customerEmail: null });
  });

  it('never half-way: none is placed for someone whose keys are gone', async () => {
    const shopper = shop.shopper();
    await shopper.prepare(tea, 1, 'tarries@example.com');
    const { basketId } = shopper;
    const customerId = await customerNamed(shop, 'tarries@example.com');
    let refused: ApiResponse | undefined;
    log.runBefore('append', holds('CustomerForgotten'), async () => {
      refused = await shopper.pay();
    });
    expect((await forget(customerId)).body).to.include({ status: 'Forgotten' });
    expect(refused?.status, refused?.text).to.be.within(400, 409);
    const events = await shop.shop.runtime.store.readStream(streamOf.basket(basketId));
    expect(events.map(({ type }) => type)).to.not.include('OrderPlacementStarted');
  });

  it('to analysts and auditors', async () => {
    const shopper = shop.shopper();
    await shopper.prepare(tea, 1, 'stays@example.com');
    const customerId = await customerNamed(shop, 'stays@example.com');
    for (const role of ['analyst', 'auditor']) {
      const user = { email: `${role}@shop.example`, password: 'correct horse battery', role };
      const { id } = (await shop.admin.ask(manage.post('/users', user))).body;
      const { token } = (await shop.admin.ask(manage.post(`/users/${id}/token`, { hours: 1 }))).body;
      const by = new Browser(shop.base, { Authorization: `Bearer ${token}` });
      expect((await forget(customerId, {}, by)).status, role).to.equal(403);
    }
    expect(await isThere(customerId)).to.equal(true);
  });
});
