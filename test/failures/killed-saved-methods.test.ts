import { expect } from 'chai';
import { Customer } from '#test/support/member-shop.ts';
import { get, payInvoice, post } from '#test/support/requests.ts';
import { ShopProcess, type Death } from '#test/support/shop-process.ts';
import { smallStore, variantId } from '#test/support/small-store.ts';

const TEA = variantId('tea');
const methods = '/api/shop/storefront/payment-methods';
const begin = () =>
  post(`${methods}/setup`, { providerAlias: 'sandbox', returnUrl: '/account', cancelUrl: '/account' });
const confirm = (setupSessionId: string) =>
  post(`${methods}/confirm`, {
    providerAlias: 'sandbox',
    setupSessionId,
    paymentMethodToken: 'tok_success',
  });

/** docs/rules/saved-methods.md */
describe('a shop that is killed while somebody uses saved methods', () => {
  let shop: ShopProcess;
  afterEach(() => shop.close());

  const openAndDie = async (diesAt: Death): Promise<Customer> => {
    shop = await ShopProcess.open({ storeFile: smallStore({ stock: { tea: null } }), diesAt });
    await shop.ready();
    const ada = new Customer(shop.base);
    await ada.register('ada@example.com', TEA);
    await ada.initialize();
    return ada;
  };
  const save = async (ada: Customer): Promise<string> => {
    const { setupSessionId } = (await ada.ask(begin())).body;
    return (await ada.ask(confirm(setupSessionId))).body.id as string;
  };
  const listed = async (ada: Customer) => (await ada.ask(get(methods))).body as { id: string }[];
  const restart = async (): Promise<void> => {
    await shop.died();
    await shop.start();
    await shop.settle();
  };

  it('before it knows that one was charged, charges it once', async () => {
    const ada = await openAndDie({ when: 'before', eventType: 'PaymentCaptured' });
    const savedPaymentMethodId = await save(ada);
    const { invoiceId } = (await ada.pay()).body;
    const paySaved = post('/api/shop/checkout/process-saved-payment', { invoiceId, savedPaymentMethodId });
    expect(await ada.ask(paySaved).catch(() => null)).to.be.null;
    await restart();
    expect((await ada.ask(paySaved)).body).to.include({ status: 'Completed', invoiceId });
    expect((await shop.charges()).map((charge) => charge.invoiceId)).to.deep.equal([invoiceId]);
    const { sales, problems } = await shop.audit({ paidInvoices: [invoiceId] });
    expect({ sales, problems }).to.deep.equal({ sales: 1, problems: [] });
  }).timeout(90_000);

  it('between the saved method and the payment that brought it, keeps one and charges once', async () => {
    const ada = await openAndDie({ when: 'after', eventType: 'PaymentMethodSaved' });
    const { invoiceId } = (await ada.pay()).body;
    const wish = payInvoice(invoiceId, { savePaymentMethod: true });
    expect(await ada.ask(wish).catch(() => null)).to.be.null;
    await restart();
    expect((await ada.ask(wish)).body).to.include({ status: 'Completed', paymentMethodSaved: true });
    expect(await listed(ada)).to.have.length(1);
    const { sales, problems } = await shop.audit({ paidInvoices: [invoiceId] });
    expect({ sales, problems }).to.deep.equal({ sales: 1, problems: [] });
  }).timeout(90_000);

  it('between a confirmation and its answer, has the method once when it is confirmed again', async () => {
    const ada = await openAndDie({ when: 'after', eventType: 'PaymentMethodSaved' });
    const { setupSessionId } = (await ada.ask(begin())).body;
    expect(await ada.ask(confirm(setupSessionId)).catch(() => null)).to.be.null;
    await restart();
    const { id } = (await ada.ask(confirm(setupSessionId))).body;
    expect((await listed(ada)).map((method) => method.id)).to.deep.equal([id]);
    expect((await shop.audit()).problems).to.deep.equal([]);
  }).timeout(90_000);

  it('after a removal, has the provider forget the method all the same', async () => {
    const ada = await openAndDie({ when: 'after', eventType: 'PaymentMethodRemoved' });
    const path = `${methods}/${await save(ada)}`;
    expect(await ada.ask({ method: 'DELETE', path }).catch(() => null)).to.be.null;
    await restart();
    expect(await listed(ada)).to.deep.equal([]);
    const { body: left } = await shop.admin.get(
      '/backoffice/api/v1/audit/events?type=PaymentMethodsForgotten',
    );
    expect(JSON.stringify(left)).to.include('PaymentMethodsForgotten');
  }).timeout(90_000);
});
