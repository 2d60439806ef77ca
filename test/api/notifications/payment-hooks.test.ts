import { expect } from 'chai';
import { customerOnAccount } from '#test/support/account-customers.ts';
import { Customer } from '#test/support/member-shop.ts';
import { heard, says } from '#test/support/owners-hooks.ts';
import { sendEvent } from '#test/support/provider-callbacks.ts';
import { manage, ordered, payByHand, payInvoice, payThat, post } from '#test/support/requests.ts';
import { body, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import type { BeforeNotification } from '#values/notifications.ts';

const file = new URL('../../support/owners-hooks.ts', import.meta.url).pathname;
const objection = 'The owner does not want this.';
const methods = '/api/shop/storefront/payment-methods';

describe('the owner’s hooks of money (docs/guides/hooks.md)', () => {
  let shop: TestShop;
  let mug: string;
  let ada: Customer;
  before(async () => {
    says.clear();
    shop = await TestShop.open({ environment: { HOOKS_FILE: file } });
    mug = await shop.sell('mug', { price: 10 });
    const opened = { shop, customer: () => new Customer(shop.base) };
    ({ shopper: ada } = await customerOnAccount(opened, 'ada@example.com', mug, { creditLimit: 100 }));
  });
  beforeEach(() => {
    says.clear();
    heard.length = 0;
  });
  after(async () => {
    says.clear();
    await shop.close();
  });

  const detailsOf = (name: BeforeNotification) => heard.find(({ notification }) => notification === name);
  const bought = async () => {
    const { body: paid } = await shop
      .given(...ordered(mug))
      .when(payThat())
      .then(200);
    return paid as { readonly invoiceId: string; readonly paymentId: string };
  };
  const byStaff = (request: ReturnType<typeof manage.post>) => shop.given().by(shop.admin).when(request);

  it('stop a purchase order before its credit is claimed, and do not hear its number', async () => {
    says.set('PaymentCreatingNotification', objection);
    const { invoiceId } = (await ada.pay()).body;
    const formData = { purchaseOrderNumber: 'PO 4711' };
    await shop
      .given()
      .by(ada)
      .when(payByHand({ invoiceId, providerAlias: 'purchaseorder', formData }))
      .then(400, { success: false, message: objection })
      .and(refusedFor('cancelled'))
      .and(noNewEvents());
    expect(detailsOf('PaymentCreatingNotification')).to.deep.include({
      provider: 'purchaseorder',
      invoiceId,
    });
    expect(JSON.stringify(heard)).to.not.include('4711');
  });

  it('stop a refund of staff, through the provider and by hand, before anybody is asked', async () => {
    const { paymentId, invoiceId } = await bought();
    says.set('PaymentRefundingNotification', objection);
    for (const isManualRefund of [false, true]) {
      await byStaff(manage.post(`/payments/${paymentId}/refund`, { reason: 'Damaged', isManualRefund }))
        .then(400, { message: objection })
        .and(refusedFor('cancelled'))
        .and(noNewEvents());
      expect(detailsOf('PaymentRefundingNotification')).to.deep.include({ paymentId, invoiceId });
    }
  });

  it('are not asked about money that is owed back', async () => {
    const { invoiceId } = await bought();
    says.set('PaymentRefundingNotification', objection);
    const data = { transactionId: 'tx twice', invoiceId, amount: 17, currency: 'GBP' };
    await sendEvent(shop.tester, { type: 'PaymentCompleted', data });
    await shop.settle();
    const refunded = (await eventsIn(shop)).filter(({ type }) => type === 'PaymentRefunded');
    expect(refunded).to.have.length(1);
  });

  it('stop staff who cancel an order; one that may not be deleted does not keep the others', async () => {
    const [kept, other] = [await bought(), await bought()];
    says.set('InvoiceCancellingNotification', objection);
    await byStaff(manage.post(`/orders/${kept.invoiceId}/cancel`, { reason: 'Changed her mind' }))
      .then(400, { message: objection })
      .and(noNewEvents());
    says.set('InvoiceDeletingNotification', objection);
    await byStaff(manage.post('/orders/delete', { ids: [kept.invoiceId, other.invoiceId] }))
      .then(200, { deletedCount: 0 })
      .and(body(({ errors }) => expect(errors).to.have.length(2)))
      .and(noNewEvents());
  });

  it('stop a method from being saved and removed; a payment that was to save one is made all the same', async () => {
    const begin = { providerAlias: 'sandbox', returnUrl: '/account', cancelUrl: '/account' };
    const confirming = async () => {
      const { setupSessionId } = (await ada.ask(post(`${methods}/setup`, begin))).body;
      const paymentMethodToken = 'tok_success';
      return post(`${methods}/confirm`, { providerAlias: 'sandbox', setupSessionId, paymentMethodToken });
    };
    const { id } = (await ada.ask(await confirming())).body;
    says.set('SavedPaymentMethodDeletingNotification', objection);
    await shop
      .given()
      .by(ada)
      .when({ method: 'DELETE', path: `${methods}/${id}` })
      .then(400, { message: objection })
      .and(noNewEvents());
    says.set('SavedPaymentMethodCreatingNotification', objection);
    await shop
      .given()
      .by(ada)
      .when(await confirming())
      .then(400, { message: objection })
      .and(noNewEvents());
    const { invoiceId } = (await ada.pay()).body;
    const paid = await ada.ask(payInvoice(invoiceId, { savePaymentMethod: true }));
    expect(paid.body).to.include({ status: 'Completed', paymentMethodSaved: false });
    const asked = heard.filter(({ notification }) => notification.endsWith('ingNotification'));
    expect(JSON.stringify(asked)).to.not.include('sandbox-method');
  });
});
