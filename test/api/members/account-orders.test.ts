import { expect } from 'chai';
import { orderListProjection } from '#projection/contexts/orders/order-list.projection.ts';
import { planOf } from '#adapters/sqlite/document-plan.ts';
import { noColumns } from '#adapters/sqlite/document-query.ts';
import { goodPassword, openMemberShop, type Customer, type MemberShop } from '#test/support/member-shop.ts';
import { manage } from '#test/support/requests.ts';

/** docs/rules/account.md#orders */
describe('The orders of an account', () => {
  let opened: MemberShop;
  let mugId: string;
  let people = 0;
  let ada: Customer;
  let email: string;
  before(async () => {
    opened = await openMemberShop();
    mugId = await opened.shop.sell('MUG', { price: 10, stock: 100 });
  });
  after(() => opened.close());
  beforeEach(async () => {
    ada = opened.customer();
    ada.from = `198.51.100.${++people}`;
    email = `ada${people}@example.com`;
    await ada.signUp(email);
  });

  const buy = async (by: Customer, quantity = 1, as = email): Promise<string> => {
    await by.prepare(mugId, quantity, as);
    const { invoiceId } = (await by.pay()).body;
    expect((await by.payWith(invoiceId)).body.success).to.equal(true);
    return invoiceId;
  };
  const list = async (by = ada, query = '') => (await by.account('GET', `/orders${query}`)).body;
  const show = (invoiceId: string, by = ada) => by.account('GET', `/orders/${invoiceId}`);
  const asStaff = async (request: Parameters<typeof opened.shop.admin.ask>[0]) => {
    const { status, body, text } = await opened.shop.admin.ask(request);
    expect(status, text).to.be.below(300);
    return body;
  };

  it('are listed, the newest first, page by page', async () => {
    const bought = [await buy(ada), await buy(ada, 2), await buy(ada, 3)];
    const all = await list();
    expect(all).to.include({ success: true, totalItems: 3, page: 1, hasNextPage: false });
    expect(all.items.map((row: { invoiceId: string }) => row.invoiceId)).to.deep.equal(bought.toReversed());
    expect(all.items[0]).to.deep.include({
      ...{ currencyCode: 'GBP', currencySymbol: '£', total: 41, formattedTotal: '£41.00', itemCount: 3 },
      ...{ paymentStatus: 'Paid', isCancelled: false, isRefunded: false, deliveryStatus: 'NotShipped' },
    });
    const second = await list(ada, '?page=2&pageSize=2');
    expect(second.items.map((row: { invoiceId: string }) => row.invoiceId)).to.deep.equal([bought[0]]);
    expect(second).to.include({ totalItems: 3, totalPages: 2, hasPreviousPage: true });
  });

  it('are not those that were never paid', async () => {
    await ada.prepare(mugId, 1, email);
    await ada.pay();
    await opened.shop.settle();
    expect((await list()).totalItems).to.equal(0);
  });

  it('show what was sent, given back, written and paid, as the confirmation does', async () => {
    const invoiceId = await buy(ada, 2);
    await opened.shop.settle();
    const { orders, payments } = await asStaff(manage.get(`/orders/${invoiceId}`));
    const [{ id: orderId, lineItems }] = orders;
    const sent = { lineItems: { [lineItems[0].id]: 2 }, carrier: 'Royal Mail', trackingNumber: 'RM1' };
    const { id } = await asStaff(manage.post(`/orders/${orderId}/shipments`, sent));
    const trackingUrl = 'https://track.example/RM1';
    const shipped = {
      newStatus: 'Shipped',
      trackingUrl,
      ...{ carrier: 'Royal Mail', trackingNumber: 'RM1' },
    };
    await asStaff(manage.put(`/shipments/${id}/status`, shipped));
    await asStaff(manage.post(`/payments/${payments[0].id}/refund`, { amount: 4, reason: 'Chipped' }));
    await asStaff(manage.post(`/orders/${invoiceId}/notes`, { text: 'Sorry!', isVisibleToCustomer: true }));
    await asStaff(manage.post(`/orders/${invoiceId}/notes`, { text: 'Difficult customer' }));
    const { status, body, text } = await show(invoiceId);
    expect(status).to.equal(200);
    expect(body.lines).to.have.length(1);
    expect(body.displayTotals).to.include({ currencyCode: 'GBP', total: 29 });
    expect(body.parcels).to.have.length(1);
    expect(body.parcels[0]).to.deep.include({
      ...{ id, status: 'Shipped', carrier: 'Royal Mail', trackingNumber: 'RM1', trackingUrl },
      lineItems: [{ lineItemId: lineItems[0].id, name: body.lines[0].name, quantity: 2 }],
    });
    expect(body.parcels[0].shippedDate).to.be.a('string');
    expect(body).to.include({ paymentStatus: 'PartiallyRefunded', amountPaid: 29, amountRefunded: 4 });
    expect(body.refunds).to.have.length(1);
    expect(body.refunds[0]).to.include({ amount: 4, formattedAmount: '£4.00', status: 'Refunded' });
    expect(body.notes.map((note: { text: string }) => note.text)).to.deep.equal(['Sorry!']);
    expect(text, 'what is not for customers').not.to.contain('Difficult').and.not.to.contain('Chipped');
    const confirmation = await ada.get(`/api/shop/checkout/confirmation/${invoiceId}`);
    expect(confirmation.body).to.deep.equal(body);
  });

  it('have no parcel that was called off, and no refund that was declined', async () => {
    const invoiceId = await buy(ada, 2);
    await opened.shop.settle();
    const { orders } = await asStaff(manage.get(`/orders/${invoiceId}`));
    const [{ id: orderId, lineItems }] = orders;
    const { id } = await asStaff(
      manage.post(`/orders/${orderId}/shipments`, { lineItems: { [lineItems[0].id]: 1 } }),
    );
    expect((await show(invoiceId)).body.parcels).to.have.length(1);
    await asStaff(manage.put(`/shipments/${id}/status`, { newStatus: 'Cancelled' }));
    expect((await show(invoiceId)).body).to.deep.include({ parcels: [], refunds: [] });
  });

  it('of anyone else are none, and tell nothing', async () => {
    const invoiceId = await buy(ada);
    const eve = opened.customer();
    await eve.signUp(`eve.${email}`);
    const nobodys = '00000000-0000-4000-8000-000000000000';
    const [hers, unknown] = [await show(invoiceId, eve), await show(nobodys, eve)];
    expect(hers.status).to.equal(404);
    expect(hers.body).to.include({ success: false, message: 'There is no such order.' });
    expect([unknown.status, unknown.body]).to.deep.equal([hers.status, hers.body]);
    expect((await list(eve)).items).to.deep.equal([]);
    expect((await opened.customer().account('GET', '/orders')).status).to.equal(401);
    expect((await opened.customer().account('GET', `/orders/${invoiceId}`)).status).to.equal(401);
  });

  it('of a guest with the address are shown once it is proven, before that to nobody with an account', async () => {
    const guest = opened.customer();
    const asGuest = await buy(guest);
    const own = await buy(ada);
    expect((await list()).items.map((row: { invoiceId: string }) => row.invoiceId)).to.deep.equal([own]);
    expect((await show(asGuest)).status).to.equal(404);
    await ada.prove(email);
    await opened.shop.settle();
    expect((await list()).totalItems).to.equal(2);
    expect((await show(asGuest)).status).to.equal(200);
    const seen = await guest.get(`/api/shop/checkout/confirmation/${asGuest}`);
    expect([seen.status, seen.body.parcels, seen.body.refunds]).to.deep.equal([200, [], []]);
  });

  it('stay with an account that moves to another e-mail address', async () => {
    await ada.prove(email);
    const before = await buy(ada);
    await ada.account('PUT', '', { email: `new.${email}`, currentPassword: goodPassword });
    const token = (await opened.mails()).findLast(({ to }) => to === `new.${email}`)?.token;
    await ada.account('POST', '/confirm-email', { email: `new.${email}`, token });
    const after = await buy(ada);
    const { items } = await list();
    expect(items.map((row: { invoiceId: string }) => row.invoiceId)).to.deep.equal([after, before]);
  });

  it('are read from an index, page by page, however many others there are', () => {
    const asked = {
      filter: { buyerId: { in: ['a member', 'their customer'] } },
      sort: [
        ['dateCreated', -1],
        ['_id', -1],
      ] as const,
      skip: 20,
      limit: 20,
    };
    const { indexes } = orderListProjection;
    const { isMerged, sql } = planOf({ collection: 'orders', indexes, columns: noColumns }, asked);
    expect(isMerged, 'two pieces of one index, each in order').to.equal(true);
    expect(sql.text.match(/INDEXED BY "[^"]*buyerId[^"]*"/g)).to.have.length(2);
  });
});
