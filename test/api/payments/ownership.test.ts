import { expect } from 'chai';
import { Customer } from '#test/support/member-shop.ts';
import type { Request } from '#test/support/browser.ts';
import {
  captureWidgetOrder,
  returnFromProvider,
  createWidgetOrder,
  get,
  giveUp,
  ordered,
  payAgain,
  payByHand,
  payElsewhere,
  payInvoice,
  post,
  readyToPay,
  type Step,
} from '#test/support/requests.ts';
import { noNewEvents, refusedFor } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

const methods = '/api/shop/storefront/payment-methods';

/** What a guest has begun with somebody's e-mail address. */
interface Begun {
  readonly invoiceId: string;
  /** At the provider. */
  readonly reference: string;
}

/** What is only for the owner of an invoice, and what comes before it. */
interface Owned {
  readonly begins: (mug: string) => readonly Step[];
  readonly asks: (begun: Begun, savedPaymentMethodId: string) => Request;
  readonly answers: Readonly<Record<string, unknown>>;
}

const card = (mug: string) => ordered(mug);
const page = (mug: string) => [...readyToPay(mug), payElsewhere('redirect')];
const widget = (mug: string) => [...readyToPay(mug), createWidgetOrder()];

const owned: Readonly<Record<string, Owned>> = {
  'another payment': {
    begins: card,
    asks: ({ invoiceId }) => payAgain(invoiceId),
    answers: { success: true },
  },
  'a card': {
    begins: card,
    asks: ({ invoiceId }) => payInvoice(invoiceId),
    answers: { status: 'Completed' },
  },
  'money by hand': {
    begins: card,
    asks: ({ invoiceId }) => payByHand({ invoiceId }),
    answers: { status: 'Completed' },
  },
  'a saved method': {
    begins: card,
    asks: ({ invoiceId }, savedPaymentMethodId) =>
      post('/api/shop/checkout/process-saved-payment', { invoiceId, savedPaymentMethodId }),
    answers: { status: 'Completed' },
  },
  'a transaction of a page': {
    begins: page,
    asks: ({ invoiceId, reference: transactionId }) =>
      payInvoice(invoiceId, { paymentMethodToken: null, transactionId }),
    answers: { success: true, status: 'RequiresAction' },
  },
  'the order of a widget': {
    begins: widget,
    asks: ({ reference }) => captureWidgetOrder(reference),
    answers: { status: 'Completed' },
  },
  'giving a payment up by its invoice': {
    begins: page,
    asks: ({ invoiceId }) => giveUp({ invoiceId }),
    answers: { success: false, message: 'The payment was cancelled.' },
  },
  'the confirmation': {
    begins: card,
    asks: ({ invoiceId }) => get(`/api/shop/checkout/confirmation/${invoiceId}`),
    answers: { success: true },
  },
};

/** docs/rules/payments.md#methods, docs/rules/members.md#linked */
describe('the invoice of a guest with the e-mail address of a customer', () => {
  let shop: TestShop;
  let mug: string;
  /** Signed in, and linked to the customer. */
  let ada: Customer;
  /** Signed in as the account of the customer's e-mail address, which she has not proven to be hers. */
  let unproven: Customer;
  /** Signed in as somebody else. */
  let grace: Customer;
  const saved = new Map<Customer, string>();

  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10 });
    const joan = shop.shopper();
    await joan.prepare(mug, 1, 'joan@example.com');
    await joan.pay();
    [ada, grace, unproven] = (await Promise.all(
      ['ada', 'grace', 'joan'].map(async (name) => {
        const customer = new Customer(shop.base);
        await customer[name === 'joan' ? 'enter' : 'register'](`${name}@example.com`, mug);
        customer.cookies.delete('shop_basket');
        return customer;
      }),
    )) as [Customer, Customer, Customer];
    for (const customer of [ada, grace]) {
      const begin = { providerAlias: 'sandbox', returnUrl: '/account', cancelUrl: '/account' };
      const { setupSessionId } = (await customer.ask(post(`${methods}/setup`, begin))).body;
      const confirm = { providerAlias: 'sandbox', setupSessionId, paymentMethodToken: 'tok_success' };
      saved.set(customer, (await customer.ask(post(`${methods}/confirm`, confirm))).body.id as string);
    }
  });
  after(() => shop.close());

  const begun = async (steps: readonly Step[], email: string): Promise<Begun> => {
    const guest = shop.shopper();
    let known = { invoiceId: '', reference: '' };
    let last = await guest.get('/api/shop/storefront/basket');
    for (const step of steps) {
      const request = typeof step === 'function' ? step(last) : step;
      const body = request.path.endsWith('/addresses')
        ? { ...(request.body as object), email }
        : request.body;
      last = await guest.ask({ ...request, body });
      expect(last.status, last.text).to.equal(200);
      const { invoiceId, sessionId, orderId } = last.body;
      known = { invoiceId: invoiceId ?? known.invoiceId, reference: sessionId ?? orderId ?? known.reference };
    }
    return known;
  };
  const isRefused = (by: Customer, request: Request) =>
    shop.given().by(by).when(request).then(403).and(refusedFor('not-yours')).and(noNewEvents());

  for (const [what, { begins, asks, answers }] of Object.entries(owned))
    it(`is theirs once they are signed in and proven, without any basket: ${what}`, async () => {
      const hers = await begun(begins(mug), 'ada@example.com');
      await isRefused(grace, asks(hers, saved.get(grace) ?? ''));
      await shop
        .given()
        .by(ada)
        .when(asks(hers, saved.get(ada) ?? ''))
        .then(200, answers);
      if (what === 'a saved method') return;
      const joans = await begun(begins(mug), 'joan@example.com');
      await isRefused(unproven, asks(joans, ''));
    });

  it('is completed by whoever comes back, and only its buyer gets the cookies of one', async () => {
    const cookie = 'shop_confirmation';
    for (const [by, email, isBuyer] of [
      [ada, 'ada@example.com', true],
      [grace, 'ada@example.com', false],
      [unproven, 'joan@example.com', false],
    ] as const) {
      by.cookies.delete(cookie);
      const { reference: sessionId } = await begun(page(mug), email);
      await shop
        .given()
        .by(by)
        .when(returnFromProvider({ sessionId }))
        .then(200, { success: true, status: 'Completed' });
      expect(by.cookies.has(cookie), email).to.equal(isBuyer);
    }
  });
});
