import { expect } from 'chai';
import { buyerAt, type Buyer } from '#test/support/buying-shop.ts';
import { customerNamed } from '#test/support/account-customers.ts';
import { openMemberShop, type MemberShop } from '#test/support/member-shop.ts';
import type { TestShop } from '#test/support/shop.ts';
import { get, manage, post } from '#test/support/requests.ts';
import { MAX_PAGE, type StoredEvent } from '#ports/event-store.ts';
import type { Recorded } from '#kernel/event.ts';
import type { ProjectionService } from '#projection/main.ts';
import type { RunningService } from '../../../shared-kernel/open-services.ts';
import { abandonedCheckoutId } from '#values/abandoned-checkout.ts';
import { streamOf } from '#values/stream-name.ts';

const captureEmail = (email: string) => post('/api/shop/checkout/capture-email', { email });
const nobody = '00000000-0000-4000-8000-000000000000';

/** What addresses of these tests say of people. */
const personal = /Ada|Lovelace|High Street|buyer\d+@example\.com/;

/** docs/rules/forgetting.md */
describe('forgetting a customer', () => {
  let members: MemberShop;
  let shop: TestShop;
  let tea: string;

  before(async () => {
    members = await openMemberShop({ environment: { Payments__Providers: 'sandbox,manual' } });
    shop = members.shop;
    tea = await shop.sell('tea', { price: 10 });
  });
  after(() => members.close());

  const forget = (id: string, body?: object) => shop.admin.ask(manage.post(`/customers/${id}/forget`, body));
  const shown = (path: string) => shop.admin.ask(manage.get(path));
  const bought = async (): Promise<Buyer & { readonly customerId: string }> => {
    const buyer = await buyerAt(shop, tea);
    return { ...buyer, customerId: await customerNamed(shop, buyer.email) };
  };
  const read = async (stream: string): Promise<readonly Recorded[]> =>
    shop.shop.runtime.codec.decodeAll(await shop.shop.runtime.store.readStream(stream));
  const wholeLog = async (): Promise<readonly StoredEvent[]> => {
    const events: StoredEvent[] = [];
    for (let after = -1; ; after = events.at(-1)?.position ?? after) {
      const page = await shop.shop.runtime.store.readAll(after);
      events.push(...page);
      if (page.length < MAX_PAGE) return events;
    }
  };
  const projections = (): ProjectionService['engine'] => {
    const services = shop.shop.services as readonly RunningService[];
    return (services.find(({ service }) => service === 'projection') as ProjectionService).engine;
  };
  /** Views are written a little after their events. */
  const written = async (): Promise<void> => {
    await shop.settle();
    for (const { name } of projections().status()) await projections().write(name);
  };
  const documents = async () => {
    const { readStore } = shop.shop.runtime;
    await written();
    const collections = await readStore.collections();
    const found = collections.map(async (collection) => [
      collection,
      await readStore.find(collection, { limit: 1000 }),
    ]);
    return Promise.all(found);
  };

  it('says what remains, ends the session, and shows nothing of them any more', async () => {
    const { customer, customerId, invoiceId, email } = await bought();
    expect(JSON.stringify(await documents())).to.include(email);
    const { status, body } = await forget(customerId);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body).to.include({ success: true, id: customerId, status: 'Forgotten' });
    const remains = body.remains as { what: string; untilUtc: string | null }[];
    const forgottenAt = Date.parse(String(body.forgottenAtUtc));
    const hoursUntil = (until: string | null) => until && (Date.parse(until) - forgottenAt) / 3_600_000;
    expect(remains.map(({ what, untilUtc }) => [what, hoursUntil(untilUtc)])).to.deep.equal([
      ['backups', null],
      ['storedAnswers', 48],
      ['knownKeys', 1 / 60],
      ['largeFiles', 24],
      ['mailsToOthers', null],
      ['formerRows', 30 * 24],
      ['formerEvents', null],
      ['sentOut', null],
    ]);
    expect((await shown(`/customers/${customerId}`)).status).to.equal(404);
    const order = (await shown(`/orders/${invoiceId}`)).body;
    expect(order).to.include({ customerEmail: null, paymentStatus: 'Paid' });
    expect(JSON.stringify(order)).to.not.match(personal);
    const left = JSON.stringify(await documents());
    expect(left).to.not.include(email);
    expect((await customer.ask(get('/api/shop/account'))).status).to.equal(401);
    expect((await customer.signIn(email)).body.success).to.equal(false);
    expect((await customer.ask(get('/api/shop/storefront/payment-methods'))).status).to.equal(401);
  });

  it('leaves nothing in the log that a key opens, and the figures as they were', async () => {
    const { customerId, invoiceId, customer } = await bought();
    const before = (await shop.shown('/reporting/summary?startDate=2025-01-01&endDate=2030-01-01')) as object;
    await forget(customerId);
    const [ofCustomer, ofInvoice] = await Promise.all([
      read(streamOf.customer(customerId)),
      read(streamOf.invoice(invoiceId)),
    ]);
    for (const events of [ofCustomer, ofInvoice, await read(streamOf.savedMethods(customerId))])
      expect(JSON.stringify(events.map(({ data }) => data))).to.not.match(personal);
    expect(ofInvoice.map(({ type }) => type).filter((type) => type === 'InvoiceForgotten')).to.have.length(1);
    const named = ofCustomer.flatMap(({ type, data }) => (type === 'CustomerForgotten' ? [data] : []));
    expect(named.map((data) => (data as { invoiceIds: string[] }).invoiceIds)).to.deep.equal([
      [invoiceId],
      [],
    ]);
    expect(await shop.shown('/reporting/summary?startDate=2025-01-01&endDate=2030-01-01')).to.deep.equal(
      before,
    );
    expect(customer.basketId).to.not.equal('');
  });

  it('does nothing the second time', async () => {
    const { customerId } = await bought();
    const first = await forget(customerId);
    const events = (await wholeLog()).length;
    const second = await forget(customerId);
    expect(second.status).to.equal(200);
    expect(second.body).to.deep.equal(first.body);
    await shop.settle();
    expect((await wholeLog()).length).to.equal(events);
  });

  it('lets the same person begin again, as a customer of their own', async () => {
    const { customerId, email } = await bought();
    await forget(customerId);
    const again = shop.shopper();
    await again.prepare(tea, 1, email);
    const newId = await customerNamed(shop, email);
    expect(newId).to.not.equal(customerId);
    expect((await shown(`/customers/${newId}`)).body).to.include({ email });
  });

  it('closes the baskets that name them, also where only the e-mail address was typed', async () => {
    const { customerId, email } = await bought();
    const [typing, addressed] = [shop.shopper(), shop.shopper()];
    await typing.add(tea);
    expect((await typing.ask(captureEmail(email))).status).to.equal(200);
    await addressed.prepare(tea, 1, email);
    await shop.settle();
    await forget(customerId);
    expect(JSON.stringify(await documents())).to.not.include(email);
    for (const shopper of [typing, addressed]) {
      const { basketId } = shopper;
      expect(JSON.stringify(await read(streamOf.basket(basketId)))).to.not.include(email);
      expect((await shopper.basket()).body.lineItems).to.deep.equal([]);
      expect((await shopper.add(tea)).status).to.equal(200);
      expect(shopper.basketId).to.not.equal(basketId);
    }
  });

  it('records what comes later without its personal values', async () => {
    const { customerId, invoiceId } = await bought();
    const { payments } = (await shown(`/orders/${invoiceId}`)).body as { payments: { id: string }[] };
    await forget(customerId);
    const reason = 'Ada Lovelace asked for it';
    const refund = manage.post(`/payments/${payments[0]?.id}/refund`, { amount: 1, reason });
    const refunded = await shop.admin.ask(refund);
    expect(refunded.status, refunded.text).to.equal(200);
    await shop.admin.ask(manage.post(`/orders/${invoiceId}/notes`, { text: reason }));
    const events = await read(streamOf.invoice(invoiceId));
    expect(events.map(({ type }) => type)).to.include.members(['PaymentRefunded', 'InvoiceNoted']);
    expect(JSON.stringify(events.map(({ data }) => data))).to.not.match(personal);
    await shop.settle();
    expect(JSON.stringify((await shown(`/orders/${invoiceId}`)).body)).to.not.match(personal);
    expect(JSON.stringify(await documents())).to.not.include(reason);
  });

  it('is for admins, and for customers whom the shop knows', async () => {
    expect((await forget(nobody)).status).to.equal(404);
    expect((await shop.shopper().ask(post(`/backoffice/api/v1/customers/${nobody}/forget`))).status).to.equal(
      401,
    );
    const { customerId } = await bought();
    const wrong = await forget(customerId, { force: 'yes' });
    expect(wrong.status).to.equal(400);
    expect(JSON.stringify(wrong.body)).to.include('force');
  });

  it('comes to the same read models when they are filled again', async () => {
    const { customerId } = await bought();
    await forget(customerId);
    await shop.settle();
    const { readStore } = shop.shop.runtime;
    const rows = async (view: string) => {
      await written();
      const found = await readStore.find(projections().collectionOf(view) ?? '', { limit: 1000 });
      return found.map((document) => ({ ...document, _position: 0 }));
    };
    for (const view of ['orders', 'customers', 'basket', 'payments', 'account-sales']) {
      const [before, collection] = [await rows(view), projections().collectionOf(view)];
      expect(before.length, view).to.be.greaterThan(0);
      expect((await shop.admin.ask(manage.post(`/projections/${view}/rebuild`))).status).to.equal(202);
      while (projections().collectionOf(view) === collection) await shop.settle();
      expect(await rows(view), view).to.deep.equal(before);
    }
  });

  describe('of whom only an e-mail address was typed', () => {
    const forgetRecord = (basketId: string) =>
      shop.admin.ask(manage.post(`/abandoned-checkouts/${abandonedCheckoutId(basketId)}/forget`));

    it('begins at the record of their checkout, and reaches all their baskets, once', async () => {
      const [first, second] = [shop.shopper(), shop.shopper()];
      for (const shopper of [first, second]) {
        await shopper.add(tea);
        await shopper.ask(captureEmail('guest@example.com'));
      }
      const { status, body } = await forgetRecord(first.basketId);
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(body).to.include({ id: abandonedCheckoutId(first.basketId), status: 'Forgotten' });
      expect((await forgetRecord(first.basketId)).body).to.deep.equal(body);
      for (const { basketId } of [first, second])
        expect(JSON.stringify(await read(streamOf.basket(basketId)))).to.not.include('guest@example.com');
      expect(JSON.stringify(await documents())).to.not.include('guest@example.com');
      await first.prepare(tea, 1, 'guest@example.com');
      expect(await customerNamed(shop, 'guest@example.com')).to.not.equal('');
    });
  });

  it('reaches one who was deleted before, whose baskets still name them', async () => {
    const shopper = shop.shopper();
    await shopper.prepare(tea, 1, 'deleted@example.com');
    const customerId = await customerNamed(shop, 'deleted@example.com');
    expect((await shop.admin.ask(manage.delete(`/customers/${customerId}`))).status).to.equal(204);
    expect((await forget(customerId)).body).to.include({ status: 'Forgotten' });
    expect(JSON.stringify(await read(streamOf.customer(customerId)))).to.not.include('deleted@example.com');
    expect(JSON.stringify(await documents())).to.not.include('deleted@example.com');
  });
});
