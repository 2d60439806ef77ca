import { expect } from 'chai';
import { Customer } from '#test/support/member-shop.ts';
import { MortalShop } from '#test/support/mortal-shop.ts';
import { get, payInvoice, post } from '#test/support/requests.ts';
import type { Death } from '#test/support/shop-process.ts';

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
  let shop: MortalShop;
  afterEach(() => shop.close());

  const opened = async (diesAt: Death): Promise<Customer> => {
    shop = await MortalShop.open();
    const tea = await shop.sell('tea', { price: 10 });
    await shop.live(diesAt);
    const ada = new Customer(shop.base);
    await ada.register('ada@example.com', tea);
    await ada.initialize();
    return ada;
  };
  const save = async (ada: Customer): Promise<string> => {
    const { setupSessionId } = (await ada.ask(begin())).body;
    return (await ada.ask(confirm(setupSessionId))).body.id as string;
  };
  const listed = async (ada: Customer) => (await ada.ask(get(methods))).body as { id: string }[];
  /** Asked for by somebody who hears no answer. */
  const killedBy = async (asking: Promise<unknown>): Promise<void> => {
    await shop.dieOf(asking);
    await shop.live();
    await shop.settle();
  };

  it('before it knows that one was charged, charges it once', async () => {
    const ada = await opened({ when: 'before', eventType: 'PaymentCaptured' });
    const savedPaymentMethodId = await save(ada);
    const { invoiceId } = (await ada.pay()).body;
    const paySaved = post('/api/shop/checkout/process-saved-payment', { invoiceId, savedPaymentMethodId });
    await killedBy(ada.ask(paySaved));
    expect((await ada.ask(paySaved)).body).to.include({ status: 'Completed', invoiceId });
    expect((await shop.charges()).map((charge) => charge.invoiceId)).to.deep.equal([invoiceId]);
    const { sales, problems } = await shop.audit();
    expect({ sales, problems }).to.deep.equal({ sales: 1, problems: [] });
  });

  it('between the saved method and the payment that brought it, keeps one and charges once', async () => {
    const ada = await opened({ when: 'after', eventType: 'PaymentMethodSaved' });
    const { invoiceId } = (await ada.pay()).body;
    const wish = payInvoice(invoiceId, { savePaymentMethod: true });
    await killedBy(ada.ask(wish));
    expect((await ada.ask(wish)).body).to.include({ status: 'Completed', paymentMethodSaved: true });
    expect(await listed(ada)).to.have.length(1);
    const { sales, problems } = await shop.audit();
    expect({ sales, problems }).to.deep.equal({ sales: 1, problems: [] });
  });

  it('between a confirmation and its answer, has the method once when it is confirmed again', async () => {
    const ada = await opened({ when: 'after', eventType: 'PaymentMethodSaved' });
    const { setupSessionId } = (await ada.ask(begin())).body;
    await killedBy(ada.ask(confirm(setupSessionId)));
    const { id } = (await ada.ask(confirm(setupSessionId))).body;
    expect((await listed(ada)).map((method) => method.id)).to.deep.equal([id]);
    expect((await shop.audit()).problems).to.deep.equal([]);
  });

  it('after a removal, has the provider forget the method all the same', async () => {
    const ada = await opened({ when: 'after', eventType: 'PaymentMethodRemoved' });
    const path = `${methods}/${await save(ada)}`;
    await killedBy(ada.ask({ method: 'DELETE', path }));
    expect(await listed(ada)).to.deep.equal([]);
    const types = (await shop.engines.store.readAll(0, 1000)).map(({ type }) => type);
    expect(types).to.include('PaymentMethodsForgotten');
  });
});
