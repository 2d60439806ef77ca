import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import type { Request } from '#test/support/browser.ts';
import {
  add,
  returnFromProvider,
  giveUp,
  inBrowser,
  keyed,
  manage,
  pay,
  payAgain,
  payElsewhere,
  payByHand,
  payInvoice,
  readyToPay,
  showBasket,
  type Step,
} from '#test/support/requests.ts';
import { body, events, header, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { eventTypesOf } from '#test/support/shop-log.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';

describe('paying elsewhere', () => {
  let shop: TestShop;
  let mug: string;

  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 1000 });
  });
  after(() => shop.close());

  const by = (shopper: Shopper, ...steps: readonly Step[]) => shop.given(...steps).by(shopper);
  const sold = ['OrderStatusChanged', 'SaleConfirmed'];

  /** A shopper at the provider's page, in its widget, or at their own bank. */
  const elsewhere = async (methodAlias = 'redirect', changes: object = {}) => {
    const shopper = shop.shopper();
    const { body: begun } = await by(shopper, ...readyToPay(mug))
      .when(payElsewhere(methodAlias, changes))
      .then(200, { success: true });
    const { invoiceId, sessionId, redirectUrl } = begun as Record<string, string>;
    if (!invoiceId || !sessionId) expect.fail('no session was started');
    return { shopper, invoiceId, sessionId, redirectUrl: redirectUrl ?? '' };
  };
  const ordered = async () => {
    const shopper = shop.shopper();
    const { body: begun } = await by(shopper, ...readyToPay(mug))
      .when(pay())
      .then(200);
    return { shopper, invoiceId: String(begun.invoiceId) };
  };

  describe('at a page of the provider', () => {
    it('starts one session, however often it is asked for, and the invoice waits for the money', async () => {
      const { shopper, invoiceId, sessionId } = await elsewhere();
      await by(shopper)
        .when(payElsewhere('redirect'))
        .then(200, {
          invoiceId,
          sessionId,
          redirectUrl: `/api/shop/checkout/return?provider=sandbox&sessionId=${sessionId}`,
        })
        .and(noNewEvents());
      await by(shopper)
        .when(payAgain(invoiceId, { methodAlias: 'redirect' }))
        .then(200, { invoiceId, sessionId, integrationType: 'Redirect' });
      expect(await eventTypesOf(shop, invoiceId)).to.deep.equal(['InvoiceCreated', 'PaymentSessionOpened']);
    });

    it('starts one session for a double click, and sells once to one who comes back twice at once', async () => {
      const shopper = shop.shopper();
      await by(shopper, ...readyToPay(mug))
        .when(showBasket())
        .then(200);
      const clicks = await Promise.all([1, 2].map(() => shopper.ask(payElsewhere('redirect'))));
      const { invoiceId, sessionId } = clicks[0]?.body as Record<string, string>;
      expect(clicks.map(({ body: begun }) => begun.sessionId)).to.deep.equal([sessionId, sessionId]);
      const backs = await Promise.all(
        [1, 2].map(() => shopper.ask(returnFromProvider({ sessionId: sessionId ?? '' }))),
      );
      expect(backs.map(({ body: back }) => back.status)).to.deep.equal(['Completed', 'Completed']);
      const types = await eventTypesOf(shop, invoiceId ?? '');
      for (const once of ['PaymentSessionOpened', 'PaymentCaptured', 'SaleConfirmed'])
        expect(types.filter((type) => type === once)).to.have.length(1);
    });

    it('is paid for what was ordered: what is added meanwhile waits in the next basket', async () => {
      const { shopper, invoiceId, sessionId } = await elsewhere();
      await by(shopper, add(mug, 2))
        .when(returnFromProvider({ sessionId }))
        .then(200, { status: 'Completed' });
      expect((await shop.charges(invoiceId)).map(({ amount }) => amount)).to.deep.equal([17]);
      await by(shopper)
        .when(showBasket())
        .then(200)
        .and(body(({ lineItems }) => expect(lineItems[0]?.quantity).to.equal(2)));
    });

    it('is complete when the buyer is back, who goes on with the next basket', async () => {
      const { shopper, invoiceId, sessionId } = await elsewhere();
      await by(shopper)
        .when(returnFromProvider({ sessionId }))
        .then(200, { success: true, invoiceId, status: 'Completed' })
        .and(body(({ paymentId }) => expect(paymentId).to.match(/^[0-9a-f-]{36}$/)));
      expect(await eventTypesOf(shop, invoiceId)).to.deep.equal([
        'InvoiceCreated',
        'PaymentSessionOpened',
        'PaymentCaptured',
        'PaymentSessionClosed',
        ...sold,
      ]);
      expect([...shopper.cookies.keys()]).to.include('shop_confirmation');
      await by(shopper).when(showBasket()).then(200, { lineItems: [] });
      await by(shopper)
        .when(returnFromProvider({ sessionId }))
        .then(200, { status: 'Completed' })
        .and(noNewEvents());
      expect(await shop.charges(invoiceId)).to.have.length(1);
    });

    it('is complete, too, when somebody else comes back: without the cookies of a buyer', async () => {
      const { shopper, invoiceId, sessionId } = await elsewhere();
      const stranger = shop.shopper();
      await by(stranger)
        .when(returnFromProvider({ sessionId }))
        .then(200, { status: 'Completed', invoiceId });
      expect([...stranger.cookies.keys()])
        .to.not.include('shop_confirmation')
        .and.not.include('shop_basket');
      // The bought basket's cookie still owns its invoice.
      await by(shopper).when(returnFromProvider({ invoiceId })).then(200, { status: 'Completed' });
      expect([...shopper.cookies.keys()]).to.include('shop_confirmation');
    });

    it('sends browsers on to the page that the shopper named, with the invoice and the status', async () => {
      const { shopper, invoiceId, sessionId } = await elsewhere('redirect', {
        returnUrl: '/thanks?from=pay#top',
      });
      await by(shopper)
        .when(inBrowser(returnFromProvider({ sessionId })))
        .then(303)
        .and(header('Location', `/thanks?from=pay&invoiceId=${invoiceId}&status=Completed#top`));
      expect([...shopper.cookies.keys()]).to.include('shop_confirmation');
      const other = await elsewhere('redirect', { cancelUrl: '/basket' });
      await by(other.shopper)
        .when(inBrowser(giveUp({ sessionId: other.sessionId })))
        .then(303)
        .and(header('Location', `/basket?invoiceId=${other.invoiceId}&status=Cancelled`));
    });

    it('sends nobody to another host by a path that its parser shortens to one', async () => {
      const { shopper, invoiceId, sessionId } = await elsewhere('redirect', {
        returnUrl: '/.//elsewhere.example/x',
      });
      await by(shopper)
        .when(inBrowser(returnFromProvider({ sessionId })))
        .then(303)
        .and(header('Location', `/elsewhere.example/x?invoiceId=${invoiceId}&status=Completed`));
    });

    it('leaves the invoice payable after a no, and the same way can be tried again', async () => {
      const { shopper, invoiceId, sessionId } = await elsewhere();
      await by(shopper)
        .when(returnFromProvider({ sessionId, outcome: 'decline' }))
        .then(200, {
          success: false,
          code: 'payment-declined',
          status: 'Failed',
          message: 'The card was declined.',
          paymentId: null,
        });
      expect([...shopper.cookies.keys()]).to.not.include('shop_confirmation');
      const { body: again } = await by(shopper).when(payElsewhere('redirect')).then(200, { invoiceId });
      expect(again.sessionId).to.not.equal(sessionId);
      await by(shopper)
        .when(returnFromProvider({ sessionId: again.sessionId }))
        .then(200, { status: 'Completed' });
      expect(await shop.charges(invoiceId)).to.have.length(1);
    });

    it('waits for the provider where that owes the outcome, and bars everything else meanwhile', async () => {
      const { shopper, invoiceId, sessionId } = await elsewhere();
      await by(shopper)
        .when(returnFromProvider({ sessionId, outcome: 'pending' }))
        .then(200, { success: true, status: 'Pending', message: 'The payment is being processed.' })
        .and(events('PaymentPending'));
      for (const barred of [payInvoice(invoiceId), payByHand({ invoiceId }), payAgain(invoiceId), pay()])
        await by(shopper).when(barred).then(409).and(refusedFor('payment-unknown'));
      await by(shopper, add(mug)).when(pay()).then(409).and(refusedFor('payment-unknown'));
      await by(shopper).when(returnFromProvider({ sessionId })).then(200, { status: 'Completed' });
    });

    it('says what it expects where nothing is named, and does not know what it never started', async () => {
      const shopper = shop.shopper();
      for (const ask of [returnFromProvider, giveUp]) {
        await by(shopper).when(ask({})).then(400, {
          success: false,
          message: 'sessionId: must be the session, the transaction or the invoice of a payment.',
        });
        await by(shopper)
          .when(ask({ sessionId: 'nobody' }))
          .then(404, { success: false, message: 'There is no such payment.' })
          .and(refusedFor('payment-not-found'));
        await by(shopper)
          .when(ask({ invoiceId: newId() }))
          .then(404, { message: 'There is no such payment.' });
        await by(shopper)
          .when(ask({ invoiceId: 'x' }))
          .then(400)
          .and(refusedFor('invalid-request'));
        await by(shopper)
          .when(ask({ provider: 'nobody', sessionId: 'x' }))
          .then(404);
      }
    });
  });

  describe('given up', () => {
    it('leaves the invoice payable, and the session cannot be paid in any more', async () => {
      const { shopper, invoiceId, sessionId } = await elsewhere();
      await by(shop.shopper())
        .when(giveUp({ sessionId }))
        .then(200, { success: false, message: 'The payment was cancelled.', invoiceId })
        .and(events('PaymentSessionClosed'));
      await by(shopper)
        .when(returnFromProvider({ sessionId }))
        .then(200, { success: false, status: 'Cancelled' });
      await by(shopper).when(payInvoice(invoiceId)).then(200, { status: 'Completed' });
      expect(await shop.charges(invoiceId)).to.have.length(1);
    });

    it("takes the session's id, or the owner of the invoice", async () => {
      const { shopper, invoiceId } = await elsewhere();
      await by(shop.shopper())
        .when(giveUp({ invoiceId }))
        .then(403, { message: 'This invoice belongs to another customer.' })
        .and(noNewEvents());
      await by(shopper).when(giveUp({ invoiceId })).then(200, { success: false, invoiceId });
    });

    it('says so where the payment is complete already', async () => {
      const { shopper, sessionId } = await elsewhere();
      await by(shopper, returnFromProvider({ sessionId }))
        .when(giveUp({ sessionId }))
        .then(200, { success: false, message: 'This payment is complete already.' })
        .and(noNewEvents());
    });
  });

  describe('and then otherwise', () => {
    it('closes the session at the provider: nobody pays twice', async () => {
      const { shopper, invoiceId, sessionId } = await elsewhere();
      await by(shopper).when(payInvoice(invoiceId)).then(200, { status: 'Completed' });
      await shop.settle();
      await by(shopper)
        .when(returnFromProvider({ sessionId }))
        .then(200, { success: false, status: 'Cancelled' });
      expect(await shop.charges(invoiceId)).to.have.length(1);
      expect(await eventTypesOf(shop, invoiceId)).to.include('PaymentSessionsVoided');
    });

    it('closes it also when the basket is ordered anew', async () => {
      const { shopper, invoiceId, sessionId } = await elsewhere();
      const { body: newer } = await by(shopper, add(mug)).when(payElsewhere('redirect')).then(200);
      expect(newer.invoiceId).to.not.equal(invoiceId);
      await shop.settle();
      expect(await eventTypesOf(shop, invoiceId)).to.include.members([
        'InvoiceSuperseded',
        'PaymentSessionsVoided',
      ]);
      await by(shopper)
        .when(returnFromProvider({ sessionId }))
        .then(200, { success: false, status: 'Cancelled' });
      expect(await shop.charges(invoiceId)).to.deep.equal([]);
    });
  });

  describe('while staff close its order', () => {
    for (const [title, request, event] of [
      [
        'cancel',
        (id: string) => manage.post(`/orders/${id}/cancel`, { reason: 'by phone' }),
        'InvoiceCancelled',
      ],
      ['delete', (id: string) => manage.post('/orders/delete', { ids: [id] }), 'InvoiceDeleted'],
    ] as const)
      it(`is over when they ${title} it: nobody can pay in it any more`, async () => {
        const { shopper, invoiceId, sessionId } = await elsewhere();
        expect((await shop.admin.ask(request(invoiceId))).status).to.equal(200);
        await shop.settle();
        expect(await eventTypesOf(shop, invoiceId)).to.include.members([event, 'PaymentSessionsVoided']);
        await by(shopper)
          .when(returnFromProvider({ sessionId }))
          .then(200, { success: false, status: 'Cancelled' });
        expect(await shop.charges(invoiceId)).to.deep.equal([]);
      });
  });

  it('is over as soon as its order expires: nobody can pay in it any more', async () => {
    const { shopper, invoiceId, sessionId } = await elsewhere();
    // Until the shop has read of the invoice, nothing is there to expire.
    await shop.settle();
    await shop.tester.post('/testing/clock', { advanceSeconds: 25 * 3600 });
    const { services, runtime } = shop.shop;
    const job = services.flatMap(({ jobs }) => jobs).find(({ name }) => name === 'release-reservations');
    await job?.runOnce(runtime.clock.now());
    // Within the ten seconds after which the process runner would take it up.
    await shop.settle();
    expect(await eventTypesOf(shop, invoiceId)).to.include.members([
      'InvoiceCancelled',
      'PaymentSessionsVoided',
    ]);
    await by(shopper)
      .when(returnFromProvider({ sessionId }))
      .then(200, { success: false, status: 'Cancelled' });
    expect(await shop.charges(invoiceId)).to.deep.equal([]);
  });

  describe('another payment of an invoice', () => {
    it('is for its owner, while there is something to pay', async () => {
      const { shopper, invoiceId } = await ordered();
      await by(shop.shopper()).when(payAgain(invoiceId)).then(403).and(refusedFor('not-yours'));
      await by(shopper).when(payAgain(newId())).then(404, { message: 'There is no such invoice.' });
      await by(shopper).when(payAgain('x')).then(404).and(refusedFor('not-found'));
      await by(shopper)
        .when(payAgain(invoiceId, { returnUrl: 'https://elsewhere.example/' }))
        .then(400)
        .and(refusedFor('invalid-request'));
      await by(shopper)
        .when(payAgain(invoiceId, { providerAlias: 'nobody' }))
        .then(400);
      await by(shopper)
        .when(payAgain(invoiceId))
        .then(200, {
          success: true,
          invoiceId,
          sessionId: null,
          redirectUrl: null,
          integrationType: 'HostedFields',
        })
        .and(noNewEvents());
      await by(shopper, payInvoice(invoiceId))
        .when(payAgain(invoiceId))
        .then(400, { message: 'This invoice has been paid already.' });
    });

    it('is refused of an invoice that was cancelled, refunded or replaced, by every way to pay', async () => {
      const staff = (request: Step) => shop.given().by(shop.admin).when(request).then(200);
      const cancelled = await ordered();
      await staff(manage.post(`/orders/${cancelled.invoiceId}/cancel`, { reason: 'Never mind' }));
      const refunded = await ordered();
      const paid = await refunded.shopper.ask(payInvoice(refunded.invoiceId));
      await staff(manage.post(`/payments/${paid.body.paymentId}/refund`, { reason: 'Damaged' }));
      const replaced = await ordered();
      await replaced.shopper.giveAddress('other@example.com');
      await replaced.shopper.pay();
      for (const [{ shopper, invoiceId }, message] of [
        [cancelled, 'This order has been cancelled.'],
        [refunded, 'This invoice has been paid already.'],
        [replaced, 'This invoice was replaced by a newer one. Start the payment again.'],
      ] as const)
        for (const request of [
          payAgain(invoiceId),
          payInvoice(invoiceId, { paymentMethodToken: 'tok_insufficient_funds' }),
          payByHand({ invoiceId }),
        ])
          await by(shopper).when(request).then(400, { success: false, message }).and(noNewEvents());
    });

    it('is over what is due, whatever amount and currency the caller names', async () => {
      const amounts = { amount: 0.01, amountMinor: 1, total: 0.01, balanceDue: 0, currency: 'JPY' };
      const buys: readonly ((invoiceId: string) => Request)[] = [
        (invoiceId) => payInvoice(invoiceId, amounts),
        (invoiceId) => payByHand({ invoiceId, ...amounts, formData: { amount: '0.01' } }),
      ];
      for (const buy of buys) {
        const { shopper, invoiceId } = await ordered();
        await by(shopper, payAgain(invoiceId, amounts))
          .when(buy(invoiceId))
          .then(200, { status: 'Completed' });
        await shop.settle();
        const { body: order } = await shop.admin.ask(manage.get(`/orders/${invoiceId}`));
        expect(order).to.include({ amountPaid: order.total, balanceDue: 0, creditDue: 0 });
      }
    });
  });

  describe('a card', () => {
    const card = (invoiceId: string, token: string) => payInvoice(invoiceId, { paymentMethodToken: token });

    it('whose outcome the provider owes is pending, by its name, and completes when it is looked up', async () => {
      const { shopper, invoiceId } = await ordered();
      const { body: owed } = await by(shopper)
        .when(card(invoiceId, 'tok_pending'))
        .then(200, { success: true, status: 'Pending', redirectUrl: null, paymentId: null })
        .and(events('PaymentAttempted', 'PaymentPending'));
      expect(owed.transactionId).to.match(/^sandbox-session-/);
      await by(shopper)
        .when(card(invoiceId, 'tok_pending'))
        .then(200, { status: 'Pending' })
        .and(noNewEvents());
      await by(shopper).when(card(invoiceId, 'tok_success')).then(409).and(refusedFor('payment-unknown'));
      expect([...shopper.cookies.keys()]).to.not.include('shop_confirmation');
      await by(shopper)
        .when(returnFromProvider({ transactionId: owed.transactionId }))
        .then(200, { success: true, status: 'Pending' })
        .and(noNewEvents());
    });

    it('whose callback is lost is looked up, and sold', async () => {
      const { shopper, invoiceId } = await ordered();
      const { body: owed } = await by(shopper).when(card(invoiceId, 'tok_pending')).then(200);
      const { transactionId } = owed as { transactionId: string };
      const set = { status: 'completed' };
      await shop.shop.runtime.stateStore.updateIf('sandbox_sessions', { _id: transactionId }, { set });
      const job = shop.shop.services
        .flatMap(({ jobs }) => jobs)
        .find(({ name }) => name === 'look-up-pending');
      await shop.settle();
      // Whatever the job has looked up by itself meanwhile.
      await job?.runOnce(Date.now() + 120_000);
      expect((await eventTypesOf(shop, invoiceId)).slice(-3)).to.deep.equal(['PaymentCaptured', ...sold]);
      await by(shopper)
        .when(card(invoiceId, 'tok_pending'))
        .then(200, { status: 'Completed', transactionId });
    });

    it('that its bank checks goes on there, and the return completes it', async () => {
      const { shopper, invoiceId } = await ordered();
      const { body: sent } = await by(shopper)
        .when(card(invoiceId, 'tok_3ds'))
        .then(200, { success: true, status: 'RequiresAction', paymentId: null })
        .and(events('PaymentAttempted', 'PaymentSessionOpened'));
      const { redirectUrl, transactionId: sessionId } = sent as Record<string, string>;
      expect(redirectUrl).to.equal(`/api/shop/checkout/return?provider=sandbox&sessionId=${sessionId}`);
      await by(shopper).when(card(invoiceId, 'tok_3ds')).then(200, { redirectUrl }).and(noNewEvents());
      await by(shopper)
        .when(inBrowser({ method: 'GET', path: redirectUrl ?? '' }))
        .then(303)
        .and(header('Location', `/return?invoiceId=${invoiceId}&status=Completed`));
      await by(shopper)
        .when(card(invoiceId, 'tok_3ds'))
        .then(200, { status: 'Completed' })
        .and(noNewEvents());
      expect(await shop.charges(invoiceId)).to.have.length(1);
    });

    it('that its bank refuses can be tried again, as another payment', async () => {
      const { shopper, invoiceId } = await ordered();
      const { body: sent } = await by(shopper).when(card(invoiceId, 'tok_3ds')).then(200);
      await by(shopper)
        .when(returnFromProvider({ sessionId: sent.transactionId, outcome: 'decline' }))
        .then(200, { success: false, status: 'Failed' });
      const { body: again } = await by(shopper)
        .when(card(invoiceId, 'tok_3ds'))
        .then(200, { status: 'RequiresAction' });
      expect(again.transactionId).to.not.equal(sent.transactionId);
      const listed = async () => {
        await shop.settle();
        const list = await shop.admin.ask(manage.get(`/invoices/${invoiceId}/payments`));
        return (list.body.items as { status: string }[]).map(({ status }) => status);
      };
      expect(await listed()).to.deep.equal(['Failed', 'Pending']);
      await by(shopper).when(card(invoiceId, 'tok_success')).then(200, { status: 'Completed' });
      // Nobody goes on at the bank any more.
      expect(await listed()).to.deep.equal(['Failed', 'Completed']);
    });
  });

  describe('a transaction that the page made by itself', () => {
    const process = (invoiceId: string, transactionId: string) =>
      payInvoice(invoiceId, { paymentMethodToken: null, transactionId });

    it('is looked up at the provider: nothing else of it is believed', async () => {
      const { shopper, invoiceId, sessionId } = await elsewhere('widget');
      const other = await elsewhere('widget');
      await by(shopper)
        .when(process(invoiceId, other.sessionId))
        .then(400, { message: 'transactionId: must be a transaction of this invoice.' });
      await by(shopper)
        .when(process(invoiceId, 'nobody'))
        .then(400, { message: 'transactionId: must be a transaction of this provider.' });
      await by(shop.shopper()).when(process(invoiceId, sessionId)).then(403);
      await by(shop.shopper(), returnFromProvider({ sessionId })).when(showBasket()).then(200);
      const { body: done } = await by(shopper)
        .when(process(invoiceId, sessionId))
        .then(200, { status: 'Completed', transactionId: sessionId });
      // Twice, it is the same payment; anything else on a paid invoice is refused.
      await by(shopper)
        .when(process(invoiceId, sessionId))
        .then(200, { paymentId: done.paymentId })
        .and(noNewEvents());
      await by(shopper)
        .when(process(invoiceId, 'nobody'))
        .then(400, { message: 'This invoice has been paid already.' });
      await by(shopper)
        .when(payInvoice(invoiceId))
        .then(400, { message: 'This invoice has been paid already.' });
    });

    it('needs a name, or a token', async () => {
      const { shopper, invoiceId } = await ordered();
      await by(shopper)
        .when(payInvoice(invoiceId, { paymentMethodToken: null }))
        .then(400, {
          message: 'paymentMethodToken: must be the token of the provider, or a transactionId.',
        });
    });
  });

  describe('under an idempotency key', () => {
    it('the invoice owns the key: also after it is paid, when its buyer has another cookie', async () => {
      const { shopper, invoiceId } = await ordered();
      const paying = keyed('pay-once', payInvoice(invoiceId));
      const { body: first } = await by(shopper).when(paying).then(200, { status: 'Completed' });
      const { body: second } = await by(shopper).when(paying).then(200).and(noNewEvents());
      expect(second).to.deep.equal(first);
      await by(shopper)
        .when(keyed('pay-once', payInvoice(invoiceId, { paymentMethodToken: 'tok_decline' })))
        .then(409)
        .and(refusedFor('idempotency-key-reused'));
      await by(shop.shopper()).when(paying).then(403).and(refusedFor('not-yours'));
    });
  });
});
