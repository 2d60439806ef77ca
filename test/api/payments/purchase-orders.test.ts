import { expect } from 'chai';
import { customerOnAccount, giveTerms } from '#test/support/account-customers.ts';
import { openMemberShop, type Customer, type MemberShop } from '#test/support/member-shop.ts';
import {
  add,
  chooseCurrency,
  clearBasket,
  get,
  manage,
  pay,
  payByHand,
  payInvoice,
  post,
} from '#test/support/requests.ts';
import { body, events, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { eventTypesOf } from '#test/support/shop-log.ts';

/** A mug with its shipping and tax, in the shop of tests. */
const TOTAL = 17;

const onAccount = { providerAlias: 'purchaseorder', methodAlias: 'purchaseorder' };
const form = (purchaseOrderNumber = 'PO 4711') => ({ formData: { purchaseOrderNumber } });
const order = (changes: object = {}) => payByHand({ ...onAccount, ...form(), ...changes });

// docs/rules/purchase-orders.md
describe('A purchase order', () => {
  let opened: MemberShop;
  let mugId: string;
  let people = 0;
  before(async () => {
    opened = await openMemberShop();
    mugId = await opened.shop.sell('MUG', { price: 10, stock: 1000 });
  });
  after(() => opened.close());

  let email: string;
  beforeEach(() => void (email = `buyer${++people}@example.com`));
  const buyer = (terms: Parameters<typeof customerOnAccount>[3] = {}) =>
    customerOnAccount(opened, email, mugId, terms);
  const by = (shopper: Customer) => opened.shop.given().by(shopper);
  const seen = async (invoiceId: string) => {
    await opened.shop.settle();
    return (await opened.shop.admin.ask(manage.get(`/orders/${invoiceId}`))).body;
  };
  const checked = async (shopper: Customer, of = email) =>
    (await shopper.ask(post('/api/shop/checkout/credit-check', { email: of }))).body;
  /** An invoice of a basket of its own, which stays unpaid. */
  const invoiceOf = async (shopper: Customer): Promise<string> => {
    await shopper.ask(clearBasket());
    await shopper.prepare(mugId, 1, email);
    const { status, body: placed, text } = await shopper.ask(pay(onAccount));
    if (status !== 200) throw new Error(`${status}: ${text}`);
    return placed.invoiceId as string;
  };
  const arrives = (invoiceId: string, amount: number) =>
    opened.shop.admin.ask(
      manage.post(`/invoices/${invoiceId}/payments/manual`, { amount, paymentMethod: 'Transfer' }),
    );

  it('sells without money: the sale is announced once, and what it costs is owed', async () => {
    const { shopper } = await buyer({ paymentTermsDays: 14, creditLimit: 100 });
    const { body: answer } = await by(shopper)
      .when(order())
      .then(200, {
        success: true,
        status: 'Pending',
        paymentId: null,
        transactionId: null,
        errorMessage: null,
        message: 'The order is placed on account.',
      })
      .and(
        body(({ invoiceId, redirectUrl, confirmationUrl }) => {
          expect(redirectUrl).to.equal(`/checkout/confirmation/${invoiceId}`);
          expect(confirmationUrl).to.equal(redirectUrl);
        }),
      );
    expect([...shopper.cookies.keys()]).to.include('shop_confirmation');
    expect((await shopper.basket()).body.lineItems).to.deep.equal([]);
    expect(await eventTypesOf(opened.shop, answer.invoiceId)).to.deep.equal([
      'InvoiceCreated',
      'PurchaseOrderRequested',
      'PurchaseOrderAccepted',
      'OrderStatusChanged',
      'SaleConfirmed',
    ]);
    const shown = await seen(answer.invoiceId);
    expect(shown).to.include({
      purchaseOrder: 'PO 4711',
      paymentStatus: 'AwaitingPayment',
      balanceDue: TOTAL,
      daysUntilDue: 14,
      isOverdue: false,
      canFulfill: true,
    });
    expect(Date.parse(shown.dueDate) - Date.parse(shown.dateCreated)).to.be.closeTo(14 * 86_400_000, 5000);
    expect(shown.orders[0].status).to.equal('ReadyToFulfill');
    expect(await checked(shopper)).to.deep.equal({
      hasCreditLimit: true,
      creditLimitExceeded: false,
      creditLimit: 100,
      outstandingBalance: TOTAL,
      availableCredit: 100 - TOTAL,
    });
  });

  it('is offered to signed-in customers with account terms, and to nobody else', async () => {
    const methods = get('/api/shop/checkout/payment-methods');
    const aliases = async (shopper: Customer) =>
      ((await shopper.ask(methods)).body as { alias: string }[]).map(({ alias }) => alias);
    const { shopper, customerId } = await buyer();
    expect(await aliases(shopper)).to.include('purchaseorder');
    expect(await aliases(opened.customer())).to.not.include('purchaseorder');
    await giveTerms(opened.shop, customerId, { hasAccountTerms: false });
    expect(await aliases(shopper)).to.not.include('purchaseorder');
  });

  it('is refused to a guest, by pay and by the form, and nothing is written', async () => {
    await buyer();
    const guest = opened.customer();
    await guest.prepare(mugId, 1, email);
    for (const request of [pay(onAccount), order()])
      await by(guest)
        .when(request)
        .then(400, {
          success: false,
          message: 'Purchase orders are for signed-in customers with account terms.',
        })
        .and(refusedFor('account-terms-required'))
        .and(noNewEvents());
    // An invoice for a card is no way round it.
    const { invoiceId } = (await guest.pay()).body;
    await by(guest)
      .when(order({ invoiceId }))
      .then(400)
      .and(refusedFor('account-terms-required'))
      .and(noNewEvents());
  });

  it('is refused to a customer without terms', async () => {
    const { shopper } = await buyer({ hasAccountTerms: false });
    for (const request of [pay(onAccount), order()])
      await by(shopper).when(request).then(400).and(refusedFor('account-terms-required')).and(noNewEvents());
  });

  it('is refused by the payment of an invoice that stands, too', async () => {
    const { shopper, customerId } = await buyer({ creditLimit: TOTAL - 1 });
    const { invoiceId } = (await shopper.pay()).body;
    const again = { ...pay(onAccount), path: `/api/shop/checkout/${invoiceId}/pay` };
    await by(shopper).when(again).then(400).and(refusedFor('credit-limit-exceeded')).and(noNewEvents());
    await giveTerms(opened.shop, customerId, { hasAccountTerms: false });
    await by(shopper).when(again).then(400).and(refusedFor('account-terms-required')).and(noNewEvents());
    await giveTerms(opened.shop, customerId, { hasAccountTerms: true, creditLimit: TOTAL });
    await by(shopper).when(again).then(200, { success: true, invoiceId, integrationType: 'DirectForm' });
  });

  it('leaves what was added after its invoice for the next basket', async () => {
    const { shopper } = await buyer();
    const invoiceId = await invoiceOf(shopper);
    await shopper.add(mugId, 3);
    await by(shopper).when(order({ invoiceId })).then(200, { status: 'Pending' });
    expect(await checked(shopper)).to.include({ outstandingBalance: TOTAL });
    expect((await shopper.basket()).body).to.include({ itemCount: 3 });
  });

  it('needs its number', async () => {
    const { shopper } = await buyer();
    for (const formData of [undefined, {}, { purchaseOrderNumber: '   ' }])
      await by(shopper)
        .when(order({ formData }))
        .then(400, { message: 'formData.purchaseOrderNumber: Purchase order number is required.' })
        .and(noNewEvents());
  });

  it('passes at exactly the limit and is refused beyond it, by pay already', async () => {
    const { shopper } = await buyer({ creditLimit: TOTAL * 2 });
    await invoiceOf(shopper).then((invoiceId) => by(shopper).when(order({ invoiceId })).then(200));
    await invoiceOf(shopper).then((invoiceId) => by(shopper).when(order({ invoiceId })).then(200));
    expect(await checked(shopper)).to.include({ outstandingBalance: TOTAL * 2, availableCredit: 0 });
    await shopper.prepare(mugId, 1, email);
    for (const request of [pay(onAccount), order()])
      await by(shopper)
        .when(request)
        .then(400, {
          success: false,
          message:
            'This order would take you over your credit limit. Pay it otherwise, or settle an open invoice first.',
        })
        .and(refusedFor('credit-limit-exceeded'))
        .and(noNewEvents());
    // The same basket can be paid otherwise, and its invoice is then refused on account just the same.
    const { invoiceId } = (await shopper.pay()).body;
    for (const request of [pay(onAccount), order({ invoiceId })])
      await by(shopper).when(request).then(400).and(refusedFor('credit-limit-exceeded')).and(noNewEvents());
    await by(shopper).when(payInvoice(invoiceId)).then(200, { status: 'Completed' });
  });

  it('has no limit where the customer has none', async () => {
    const { shopper } = await buyer();
    await by(shopper).when(order()).then(200);
    expect(await checked(shopper)).to.deep.equal({
      hasCreditLimit: false,
      creditLimitExceeded: false,
      creditLimit: null,
      outstandingBalance: TOTAL,
      availableCredit: null,
    });
  });

  it('passes once of two that are asked for at once and fit only singly', async () => {
    const { shopper } = await buyer({ creditLimit: TOTAL * 2 - 1 });
    const invoices = [await invoiceOf(shopper), await invoiceOf(shopper)];
    const answers = await Promise.all(invoices.map((invoiceId) => shopper.ask(order({ invoiceId }))));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
    const refused = answers.find(({ status }) => status === 400);
    expect(refused?.code).to.equal('credit-limit-exceeded');
    expect(await checked(shopper)).to.include({ outstandingBalance: TOTAL });
    const statuses = await Promise.all(invoices.map(async (id) => (await seen(id)).paymentStatus as string));
    expect(statuses.sort()).to.deep.equal(['AwaitingPayment', 'Unpaid']);
  });

  it('is one for a double click, and for the same order sent again', async () => {
    const { shopper } = await buyer({ creditLimit: TOTAL });
    const invoiceId = await invoiceOf(shopper);
    const answers = await Promise.all([1, 2, 3].map(() => shopper.ask(order({ invoiceId }))));
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    await by(shopper).when(order({ invoiceId })).then(200, { status: 'Pending' }).and(noNewEvents());
    expect(
      (await eventTypesOf(opened.shop, invoiceId)).filter((type) => type === 'SaleConfirmed'),
    ).to.have.length(1);
    await by(shopper)
      .when(order({ invoiceId, ...form('PO 4712') }))
      .then(400)
      .and(refusedFor('already-on-account'))
      .and(noNewEvents());
  });

  it("is refused for somebody else's invoice and for one that is not there", async () => {
    const { shopper } = await buyer();
    const invoiceId = await invoiceOf(shopper);
    email = `other${people}@example.com`;
    const { shopper: other } = await buyer();
    await by(other).when(order({ invoiceId })).then(403).and(refusedFor('not-yours'));
    const unknown = '00000000-0000-4000-8000-000000000000';
    await by(other)
      .when(order({ invoiceId: unknown }))
      .then(404)
      .and(refusedFor('invoice-not-found'));
  });

  it('is paid later, in parts too, and frees the credit with each of them', async () => {
    const { shopper } = await buyer({ creditLimit: 20 });
    const invoiceId = await invoiceOf(shopper);
    await by(shopper).when(order({ invoiceId })).then(200);
    expect((await arrives(invoiceId, 10)).status).to.equal(200);
    expect(await checked(shopper)).to.include({ outstandingBalance: 7, availableCredit: 13 });
    expect(await seen(invoiceId)).to.include({ paymentStatus: 'PartiallyPaid', balanceDue: 7 });
    expect((await arrives(invoiceId, 7)).status).to.equal(200);
    expect(await checked(shopper)).to.include({ outstandingBalance: 0, availableCredit: 20 });
    expect(await seen(invoiceId)).to.include({ paymentStatus: 'Paid', daysUntilDue: null });
    expect((await eventTypesOf(opened.shop, invoiceId)).slice(-4)).to.deep.equal([
      'PaymentCaptured',
      'OutstandingNoted',
      'PaymentCaptured',
      'OutstandingNoted',
    ]);
  });

  it('frees its credit when staff cancel it, or delete it', async () => {
    const { shopper } = await buyer({ creditLimit: TOTAL * 2 });
    const [cancelled, deleted] = [await invoiceOf(shopper), await invoiceOf(shopper)];
    for (const invoiceId of [cancelled, deleted]) await by(shopper).when(order({ invoiceId })).then(200);
    const staff = opened.shop.given().by(opened.shop.admin);
    await staff.when(manage.post(`/orders/${cancelled}/cancel`, { reason: 'Not wanted' })).then(200);
    await opened.shop.settle();
    expect(await checked(shopper)).to.include({ outstandingBalance: TOTAL, availableCredit: TOTAL });
    await staff.when(manage.post('/orders/delete', { ids: [deleted] })).then(200);
    await opened.shop.settle();
    expect(await checked(shopper)).to.include({ outstandingBalance: 0, availableCredit: TOTAL * 2 });
  });

  it('bars no other payment: a card settles it, and the sale is not announced again', async () => {
    const { shopper } = await buyer({ creditLimit: 20 });
    const invoiceId = await invoiceOf(shopper);
    await by(shopper).when(order({ invoiceId })).then(200);
    await by(shopper)
      .when(payInvoice(invoiceId))
      .then(200, { status: 'Completed' })
      .and(events('PaymentAttempted', 'PaymentCaptured', 'CustomerOutstandingChanged', 'OutstandingNoted'));
    expect(await checked(shopper)).to.include({ outstandingBalance: 0 });
    await by(shopper).when(order({ invoiceId })).then(200, { status: 'Completed' }).and(noNewEvents());
  });

  it('never expires, also where the customer got account terms only after its invoice was made', async () => {
    const { shopper, customerId } = await buyer({ hasAccountTerms: false });
    const { invoiceId } = (await shopper.pay()).body;
    await giveTerms(opened.shop, customerId, { hasAccountTerms: true, paymentTermsDays: 7 });
    await by(shopper).when(order({ invoiceId })).then(200);
    await opened.shop.settle();
    await opened.shop.tester.post('/testing/clock', { advanceSeconds: 9 * 86_400 });
    await opened.shop.tester.post('/testing/jobs/release-reservations');
    expect(await seen(invoiceId)).to.include({ isCancelled: false, isOverdue: true, daysUntilDue: -2 });
  });

  it('is worth its total in the currency of the store, whatever it is paid in', async () => {
    const configuration = { rates: { JPY: 200 } };
    await opened.shop.admin.ask(manage.put('/exchange-rate-providers/manual/settings', { configuration }));
    await opened.shop.admin.ask(manage.post('/exchange-rate-providers/refresh'));
    await opened.shop.settle();
    const { shopper } = await buyer({ creditLimit: TOTAL });
    await shopper.ask(chooseCurrency({ currencyCode: 'JPY' }));
    const { invoiceId } = (await by(shopper).when(order()).then(200)).body;
    expect(await seen(invoiceId)).to.include({ currencyCode: 'JPY', total: TOTAL * 200 });
    expect(await checked(shopper)).to.include({ outstandingBalance: TOTAL, availableCredit: 0 });
    await arrives(invoiceId, 1000);
    expect(await checked(shopper)).to.include({ outstandingBalance: TOTAL - 5, availableCredit: 5 });
  });

  it('of digital goods is done once it is paid, not before', async () => {
    const ebook = await opened.shop.sell(`EBOOK${people}`, { price: 5, isDigital: true });
    const { shopper } = await buyer();
    await shopper.ask(clearBasket());
    await shopper.ask(add(ebook));
    await shopper.addresses({ email });
    const { invoiceId } = (await by(shopper).when(order()).then(200)).body;
    expect((await seen(invoiceId)).orders[0].status).to.equal('ReadyToFulfill');
    await arrives(invoiceId, 6);
    expect((await seen(invoiceId)).orders[0].status).to.equal('Completed');
  });
});

describe('The credit check', () => {
  let opened: MemberShop;
  let mugId: string;
  before(async () => {
    opened = await openMemberShop();
    mugId = await opened.shop.sell('MUG', { price: 10 });
  });
  after(() => opened.close());
  const check = (email?: unknown) => post('/api/shop/checkout/credit-check', { email });
  const nothing = {
    hasCreditLimit: false,
    creditLimitExceeded: false,
    creditLimit: null,
    outstandingBalance: null,
    availableCredit: null,
  };

  it('is for members: anybody else is 401', async () => {
    await opened.shop
      .given()
      .when(check('ada@example.com'))
      .then(401, { success: false })
      .and(refusedFor('unauthenticated'));
  });

  it('tells a member of their own credit, whatever the spelling, and of nobody else’s', async () => {
    const { shopper, customerId } = await customerOnAccount(opened, 'ada@example.com', mugId, {
      creditLimit: 50,
    });
    await customerOnAccount(opened, 'bob@example.com', mugId, { creditLimit: 50 });
    const asked = (email: unknown) => opened.shop.given().by(shopper).when(check(email));
    await asked(' ADA@example.com ').then(200, { hasCreditLimit: true, availableCredit: 50 });
    await asked('bob@example.com').then(200, nothing);
    await asked('nobody@example.com').then(200, nothing);
    await giveTerms(opened.shop, customerId, { hasAccountTerms: false });
    await asked('ada@example.com').then(200, nothing);
  });

  it('is exceeded by a limit that was lowered later, and never leaves less than nothing', async () => {
    const { shopper, customerId } = await customerOnAccount(opened, 'eve@example.com', mugId);
    await opened.shop.given().by(shopper).when(order()).then(200);
    await giveTerms(opened.shop, customerId, { creditLimit: 5 });
    await opened.shop
      .given()
      .by(shopper)
      .when(check('eve@example.com'))
      .then(200, { creditLimitExceeded: true, outstandingBalance: TOTAL, availableCredit: 0 });
  });

  it('needs an e-mail address', async () => {
    const { shopper } = await customerOnAccount(opened, 'sue@example.com', mugId);
    for (const email of [undefined, '', 7])
      await opened.shop.given().by(shopper).when(check(email)).then(400).and(refusedFor('invalid-request'));
  });
});
