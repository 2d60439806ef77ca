import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import {
  add,
  ordered,
  pay,
  payByHand,
  payInvoice,
  payThat,
  payThatByHand,
  readyToPay,
  showBasket,
} from '#test/support/requests.ts';
import { body, events, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { eventsIn, eventTypesOf } from '#test/support/shop-log.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';

describe('paying an invoice over HTTP', () => {
  let shop: TestShop;
  let mug: string;

  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 100 });
  });
  after(() => shop.close());

  /** A shopper with an invoice that is not paid yet. */
  const withInvoice = async (): Promise<{ readonly shopper: Shopper; readonly invoiceId: string }> => {
    const shopper = shop.shopper();
    const { body: placed } = await shop
      .given(...readyToPay(mug))
      .by(shopper)
      .when(pay())
      .then(200);
    return { shopper, invoiceId: placed.invoiceId };
  };

  /** The provider is asked for the next charge, and gives no answer until it is told to. */
  const holdNextCharge = () => {
    const { stateStore } = shop.shop.runtime;
    const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const insert = stateStore.insertIfAbsent.bind(stateStore);
    stateStore.insertIfAbsent = async (collection, document) => {
      if (collection !== 'sandbox_charges') return insert(collection, document);
      stateStore.insertIfAbsent = insert;
      asked.resolve();
      await answered.promise;
      return insert(collection, document);
    };
    return { asked: asked.promise, answer: answered.resolve };
  };

  it('completes with a good card, closes the basket and shows the way to the confirmation', async () => {
    const { shopper, invoiceId } = await withInvoice();
    const bought = shopper.basketId;
    await shop
      .given()
      .by(shopper)
      .when(payInvoice(invoiceId))
      .then(200, {
        success: true,
        errorMessage: null,
        invoiceId,
        status: 'Completed',
        redirectUrl: `/checkout/confirmation/${invoiceId}`,
        confirmationUrl: `/checkout/confirmation/${invoiceId}`,
        paymentMethodSaved: false,
      })
      .and(
        body(({ paymentId, transactionId }) => {
          expect(paymentId).to.match(/^[0-9a-f-]{36}$/);
          expect(transactionId).to.match(/^sandbox-/);
        }),
      );
    expect((await shop.charges(invoiceId)).map(({ amount }) => amount)).to.deep.equal([17]);
    expect([...shopper.cookies.keys()]).to.include('shop_confirmation');
    expect(shopper.basketId, 'goes on with the next one').to.not.be.oneOf(['', bought]);
    await shop.given().by(shopper).when(showBasket()).then(200, { lineItems: [] });
    expect(await eventTypesOf(shop, invoiceId)).to.deep.equal([
      'InvoiceCreated',
      'PaymentAttempted',
      'PaymentCaptured',
      'OrderStatusChanged',
      'SaleConfirmed',
    ]);
  });

  for (const [token, errorMessage] of [
    ['tok_decline', 'The card was declined.'],
    ['tok_insufficient_funds', 'Insufficient funds.'],
  ] as const) {
    it(`says no to ${token}, and the invoice can be paid otherwise`, async () => {
      const { shopper, invoiceId } = await withInvoice();
      const nothing = { paymentId: null, transactionId: null, redirectUrl: null };
      await shop
        .given()
        .by(shopper)
        .when(payInvoice(invoiceId, { paymentMethodToken: token }))
        .then(200, { success: false, status: 'Failed', errorMessage, ...nothing })
        .and(events('PaymentAttempted', 'PaymentDeclined'));
      expect(await shop.charges(invoiceId)).to.deep.equal([]);
      await shop.given().by(shopper).when(payInvoice(invoiceId)).then(200, { status: 'Completed' });
    });
  }

  it('answers 503 when the provider cannot be reached, and can be tried again', async () => {
    const { shopper, invoiceId } = await withInvoice();
    await shop
      .given()
      .by(shopper)
      .when(payInvoice(invoiceId, { paymentMethodToken: 'tok_unavailable' }))
      .then(503, { success: false })
      .and(refusedFor('provider-unavailable'))
      .and(({ answer }) => expect(answer.headers.has('Retry-After')).to.equal(true))
      .and(events('PaymentAttempted', 'PaymentNotAttempted'));
    await shop.given().by(shopper).when(payInvoice(invoiceId)).then(200, { status: 'Completed' });
  });

  it('refuses what is not valid', async () => {
    const message = 'paymentMethodToken: unknown sandbox token';
    const unknown = payThat({ paymentMethodToken: 'tok_from_the_moon' });
    await shop
      .given(...ordered(mug))
      .when(unknown)
      .then(400, { message });
    for (const wrong of [
      { invoiceId: 'not-a-guid' },
      { invoiceId: undefined },
      { providerAlias: 'nobody' },
      { providerAlias: 'manual' },
      { paymentMethodToken: undefined },
    ])
      await shop
        .given(...ordered(mug))
        .when(payThat(wrong))
        .then(400, { success: false })
        .and(refusedFor('invalid-request'))
        .and(noNewEvents());
  });

  it('answers 404 to an unknown invoice and 403 to somebody else', async () => {
    const { invoiceId } = await withInvoice();
    await shop
      .given(...ordered(mug))
      .when(payInvoice(newId()))
      .then(404)
      .and(refusedFor('invoice-not-found'));
    await shop.given().when(payInvoice(invoiceId)).then(403).and(refusedFor('not-yours'));
    await shop.given(add(mug)).when(payInvoice(invoiceId)).then(403).and(refusedFor('not-yours'));
  });

  it('takes one payment of a double click, and tells both of it', async () => {
    const { shopper, invoiceId } = await withInvoice();
    const clicks = await Promise.all([shopper.payWith(invoiceId), shopper.payWith(invoiceId)]);
    expect(clicks.map((click) => click.body.status)).to.deep.equal(['Completed', 'Completed']);
    expect(new Set(clicks.map((click) => click.body.paymentId)).size).to.equal(1);
    expect(await shop.charges(invoiceId)).to.have.length(1);
  });

  it('lets nothing else happen to the invoice while an outcome is unknown; the answer comes, of one payment', async () => {
    const { shopper, invoiceId } = await withInvoice();
    const { asked, answer } = holdNextCharge();
    const slow = shopper.payWith(invoiceId);
    await asked;

    const { [0]: line } = (await shopper.basket()).body.lineItems as { id: string }[];
    await shopper.update(line?.id ?? '', 2);
    const otherCard = payInvoice(invoiceId, { paymentMethodToken: 'tok_decline' });
    for (const request of [otherCard, payByHand({ invoiceId }), pay()]) {
      const refused = await shopper.ask(request);
      expect([refused.status, refused.code]).to.deep.equal([409, 'payment-unknown']);
      expect(Number(refused.headers.get('Retry-After'))).to.be.greaterThan(0);
    }
    answer();
    expect((await slow).body).to.include({ success: true, status: 'Completed' });
    expect(await shop.charges(invoiceId)).to.have.length(1);
    expect((await eventTypesOf(shop, invoiceId)).filter((type) => type === 'PaymentCaptured')).to.have.length(
      1,
    );
    await shop.settle();
    await shop
      .given()
      .by(shopper)
      .when(showBasket())
      .then(200, { itemCount: 1 })
      .and(body(({ lineItems }) => expect(lineItems).to.have.length(1)));
  });

  it('records a payment by hand', async () => {
    const { body: paid } = await shop
      .given(...ordered(mug))
      .when(payThatByHand({ formData: { reference: '  cheque 7 ' } }))
      .then(200, { success: true, status: 'Completed' });
    expect(paid.transactionId).to.equal(`manual-${paid.paymentId}`);
    const captured = (await eventsIn(shop)).find(
      ({ type, stream }) => type === 'PaymentCaptured' && stream === `invoice-${paid.invoiceId}`,
    );
    expect(captured?.data).to.deep.include({ formData: { reference: 'cheque 7' } });
  });

  it('makes the invoice of a basket that is paid by hand', async () => {
    await shop
      .given(...readyToPay(mug))
      .when(payByHand())
      .then(200, { status: 'Completed' });
  });

  it('answers 400, 404 and 403 to a payment by hand without basket, of an unknown and of a foreign invoice', async () => {
    const { shopper, invoiceId } = await withInvoice();
    await shop.given().when(payByHand()).then(400).and(refusedFor('basket-not-found'));
    const unknown = payByHand({ invoiceId: newId() });
    await shop.given().when(unknown).then(404).and(refusedFor('invoice-not-found'));
    await shop.given().when(payByHand({ invoiceId })).then(403).and(refusedFor('not-yours'));
    const byCard = payByHand({ providerAlias: 'sandbox', invoiceId });
    await shop.given().by(shopper).when(byCard).then(400).and(refusedFor('invalid-request'));
  });

  it('refuses to be paid twice', async () => {
    const { shopper, invoiceId } = await withInvoice();
    const cookies = new Map(shopper.cookies);
    await shopper.payWith(invoiceId);
    for (const [name, value] of cookies) shopper.cookies.set(name, value);
    await shop
      .given()
      .by(shopper)
      .when(payByHand({ invoiceId }))
      .then(400, { success: false })
      .and(refusedFor('invoice-already-paid'))
      .and(noNewEvents());
  });
});
