import { expect } from 'chai';
import { Customer } from '#test/support/member-shop.ts';
import { useMortalShop } from '#test/support/mortal-shop.ts';
import { get, payInvoice, post } from '#test/support/requests.ts';

const methods = '/api/shop/storefront/payment-methods';
const begin = () =>
  post(`${methods}/setup`, { providerAlias: 'sandbox', returnUrl: '/account', cancelUrl: '/account' });
const confirm = (setupSessionId: string, paymentMethodToken = 'tok_success') =>
  post(`${methods}/confirm`, {
    providerAlias: 'sandbox',
    setupSessionId,
    paymentMethodToken,
  });

/** docs/rules/saved-methods.md */
describe('a shop that is killed while somebody uses saved methods', () => {
  const at = useMortalShop();

  const opened = async (diesAt: Parameters<typeof at.shop.live>[0]): Promise<Customer> => {
    const tea = await at.shop.sell('tea', { price: 10 });
    await at.shop.live(diesAt);
    const ada = new Customer(at.shop.base);
    await ada.register('ada@example.com', tea);
    await ada.initialize();
    return ada;
  };
  const save = async (ada: Customer): Promise<string> => {
    const { setupSessionId } = (await ada.ask(begin())).body;
    return (await ada.ask(confirm(setupSessionId))).body.id as string;
  };
  const listed = async (ada: Customer) => (await ada.ask(get(methods))).body as { id: string }[];

  it('before it knows that one was charged, charges it once', async () => {
    const ada = await opened({ when: 'before', eventType: 'PaymentCaptured' });
    const savedPaymentMethodId = await save(ada);
    const { invoiceId } = (await ada.pay()).body;
    const paySaved = post('/api/shop/checkout/process-saved-payment', { invoiceId, savedPaymentMethodId });
    await at.shop.killedBy(ada.ask(paySaved));
    await at.shop.settle();
    expect((await ada.ask(paySaved)).body).to.include({ status: 'Completed', invoiceId });
    expect((await at.shop.charges()).map((charge) => charge.invoiceId)).to.deep.equal([invoiceId]);
    expect(await at.shop.soundSales()).to.equal(1);
  });

  it('between the saved method and the payment that brought it, keeps one and charges once', async () => {
    const ada = await opened({ when: 'after', eventType: 'PaymentMethodSaved' });
    const { invoiceId } = (await ada.pay()).body;
    const wish = payInvoice(invoiceId, { savePaymentMethod: true });
    await at.shop.killedBy(ada.ask(wish));
    await at.shop.settle();
    expect((await ada.ask(wish)).body).to.include({ status: 'Completed', paymentMethodSaved: true });
    expect(await listed(ada)).to.have.length(1);
    expect(await at.shop.soundSales()).to.equal(1);
  });

  it('between a confirmation and its answer, has the method once when it is confirmed again', async () => {
    const ada = await opened({ when: 'after', eventType: 'PaymentMethodSaved' });
    const { setupSessionId } = (await ada.ask(begin())).body;
    await at.shop.killedBy(ada.ask(confirm(setupSessionId)));
    await at.shop.settle();
    const { id } = (await ada.ask(confirm(setupSessionId))).body;
    expect((await listed(ada)).map((method) => method.id)).to.deep.equal([id]);
    await at.shop.soundSales();
  });

  /** The payer is at the page of their bank, and approves. */
  const approve = (setupSessionId: string) =>
    get(`${methods}/return?provider=sandbox&sessionId=${setupSessionId}&outcome=approve`);

  for (const when of ['before', 'after'] as const)
    it(`${when} a card is kept whose owner is back from the bank, has it once when they come back again`, async () => {
      const ada = await opened({ when, eventType: 'PaymentMethodSaved' });
      const { setupSessionId } = (await ada.ask(begin())).body;
      const sent = await ada.ask(confirm(setupSessionId, 'tok_3ds_challenge'));
      expect(sent.body).to.include({ status: 'RequiresAction' });
      await at.shop.killedBy(ada.ask(approve(setupSessionId)));
      await at.shop.settle();
      expect((await ada.ask(approve(setupSessionId))).body).to.include({ status: 'Saved' });
      expect(await listed(ada)).to.have.length(1);
      await at.shop.soundSales();
    });

  for (const when of ['before', 'after'] as const)
    it(`${when} it has noted who saves a card, lets them begin again and go to their bank`, async () => {
      const ada = await opened({ when, rowIn: 'payment_setups' });
      await at.shop.killedBy(ada.ask(begin()));
      const { setupSessionId } = (await ada.ask(begin())).body;
      const asked = confirm(setupSessionId, 'tok_3ds_challenge');
      // Asked twice, it is the same way to the same bank.
      const sent = [await ada.ask(asked), await ada.ask(asked)].map((answer) => answer.body);
      expect(sent[0]).to.include({ status: 'RequiresAction' });
      expect(sent[1]).to.deep.equal(sent[0]);
      expect((await ada.ask(approve(setupSessionId))).body).to.include({ status: 'Saved' });
      expect(await listed(ada)).to.have.length(1);
      await at.shop.soundSales();
    });

  it('after a removal, has the provider forget the method all the same', async () => {
    const ada = await opened({ when: 'after', eventType: 'PaymentMethodRemoved' });
    const path = `${methods}/${await save(ada)}`;
    await at.shop.killedBy(ada.ask({ method: 'DELETE', path }));
    await at.shop.settle();
    expect(await listed(ada)).to.deep.equal([]);
    const types = (await at.shop.engines.store.readAll(0, 1000)).map(({ type }) => type);
    expect(types).to.include('PaymentMethodsForgotten');
  });
});
