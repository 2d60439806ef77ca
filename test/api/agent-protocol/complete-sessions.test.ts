import { expect } from 'chai';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { EventOfType } from '#kernel/event.ts';
import { newId } from '#kernel/ids.ts';
import { datedVersions, schemaProblems } from '#test/support/agents/answer-schemas.ts';
import { BuyingAgent } from '#test/support/agents/buying-agent.ts';
import { checkoutProblems, orderProblems } from '#test/support/agents/checkout-problems.ts';
import { sessionsPath, wanting } from '#test/support/agents/asking-agent.ts';
import type { ApiResponse } from '#test/support/browser.ts';
import { faultyEventStore, holds, killBefore, type FaultyEventStore } from '#test/support/faults.ts';
import { sendEvent } from '#test/support/provider-callbacks.ts';
import { manage } from '#test/support/requests.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop } from '#test/support/shop.ts';
import { idOf, streamOf } from '#values/stream-name.ts';

// docs/rules/agent-sessions.md#completing
describe('Completing a checkout session', () => {
  let shop: TestShop;
  let log: FaultyEventStore;
  let agent: BuyingAgent;
  before(async () => {
    shop = await TestShop.open({
      wrapStore: (store) => (log = faultyEventStore(store)),
      environment: {
        Protocol__Ucp__TestEndpoints__Enabled: 'true',
        Protocol__Ucp__TestEndpoints__SimulationSecret: 'secret',
      },
    });
    agent = new BuyingAgent(shop.base);
    await shop.sell('mug', { price: 10, stock: 500 });
    for (const version of datedVersions) await shop.sell(`fresh-${version}`, { price: 10, stock: 3 });
  });
  after(() => shop.close());

  const redirect = { handler: 'sandbox:redirect' };
  const codeOf = ({ body }: ApiResponse): string => body.code ?? body.messages[0].code;
  const read = async (path: string) => (await agent.browser.get(path)).body;
  /** As it was placed. */
  const placed = async (id: string) => {
    const made = (await eventsIn(shop)).filter(
      ({ type, stream }) => type === 'InvoiceCreated' && stream === streamOf.invoice(id),
    );
    expect(made).to.have.length(1);
    return made[0]?.data as EventOfType<InvoiceEvent, 'InvoiceCreated'>['data'];
  };
  const charged = async (): Promise<number> => (await shop.charges()).length;
  /** As often as it takes until it is known. */
  const becomes = async (path: string, status: string) => {
    await shop.settle();
    expect((await read(path)).status).to.equal(status);
  };

  for (const version of datedVersions) {
    const buyer = () => new BuyingAgent(shop.base, { version });
    const fits = (body: unknown): void => {
      expect(checkoutProblems(body)).to.deep.equal([]);
    };

    it(`places the order and pays for it, in ${version}`, async () => {
      const { id, path } = await buyer().begin(['mug', 2]);
      const done = await buyer().complete(path);
      expect(done.status, done.text).to.equal(200);
      fits(done.body);
      expect(done.body).to.deep.include({ status: 'completed', session_status: 'completed' });
      expect(done.body).not.to.have.property('continue_url');
      const { id: orderId, permalink_url: link } = done.body.order;
      expect(link).to.match(new RegExp(`/order/${orderId}\\?key=`));
      const sourceId = `${shop.base}/.well-known/ucp-test-agent/buyer`;
      expect((await placed(orderId)).content.source).to.deep.equal({
        ...{ type: 'ucp', displayName: 'Test agent buyer', sourceName: 'UCP', sourceId, sessionId: id },
      });
      const { body: sale } = await shop.admin.ask(manage.get(`/orders/${orderId}`));
      expect(sale.source).to.include({ type: 'ucp', sessionId: id, protocolVersion: version });
      expect(await shop.charges(orderId)).to.have.length(1);
      fits((await buyer().browser.get(path)).body);
      const { body: order } = await buyer().browser.get(`/api/v1/orders/${orderId}`);
      expect(orderProblems(order)).to.deep.equal([]);
      expect(order.fulfillment.expectations).to.have.length(1);
      expect(order.fulfillment.expectations[0]).to.deep.include({
        ...{ method_type: 'shipping', description: 'Parcel', fulfillable_on: 'now' },
      });
      for (const final of [await buyer().complete(path), await buyer().browser.put(path, { buyer: null })]) {
        expect([final.status, codeOf(final)]).to.deep.equal([409, 'checkout_not_modifiable']);
        expect(final.headers.get('Retry-After')).to.equal('1');
      }
    });

    it(`refuses what is declined, and takes the next payment for the same order, in ${version}`, async () => {
      const { path } = await buyer().begin(['mug', 1]);
      const declined = await buyer().complete(path, 'tok_decline');
      expect([declined.status, codeOf(declined)]).to.deep.equal([402, 'payment_failed']);
      expect(schemaProblems('error', version, declined.body)).to.deep.equal([]);
      expect((await buyer().browser.get(path)).body.status).to.equal('ready_for_complete');
      const paid = await buyer().complete(path);
      expect(paid.body.status).to.equal('completed');
      await placed(paid.body.order.id);
    });

    it(`says that place and option are missing before anything else, in ${version}`, async () => {
      const { browser } = buyer();
      const begun = await browser.post(sessionsPath, { line_items: wanting(['mug', 1]) });
      const refused = await buyer().complete(`${sessionsPath}/${begun.body.id}`, null, { handler: 'none' });
      expect([refused.status, codeOf(refused)]).to.deep.equal([400, 'fulfillment_required']);
      expect(refused.text).to.include('Fulfillment address and option must be selected');
      expect(schemaProblems('error', version, refused.body)).to.deep.equal([]);
    });

    it(`says what else stands in its way before it looks at the payment, in ${version}`, async () => {
      const agent = buyer();
      const song = await shop.sell(`song-${version}`, { price: 5, isDigital: true });
      const digital = await agent.browser.post(sessionsPath, { line_items: wanting([song, 1]) });
      const nobodys = await agent.complete(`${sessionsPath}/${digital.body.id}`, null, { handler: 'none' });
      expect([nobodys.status, codeOf(nobodys)]).to.deep.equal([400, 'account_required']);
      expect(nobodys.body.messages[0].severity).to.equal('requires_buyer_input');

      const sku = `odd-${version}`;
      const odd = await shop.sell(sku, { price: 10 });
      const { path } = await agent.begin([sku, 1]);
      const { items } = (await shop.admin.ask(manage.get(`/products?search=${sku}`))).body;
      const withdrawn = { availableForPurchase: false };
      const change = manage.put(`/products/${items[0].id}/variants/${odd}`, withdrawn);
      expect((await shop.admin.ask(change)).status).to.equal(200);
      await shop.settle();
      const refused = await agent.complete(path, null, { handler: 'none' });
      expect([refused.status, codeOf(refused)], refused.text).to.deep.equal([400, 'item_unavailable']);
      for (const { body } of [nobodys, refused])
        expect(schemaProblems('error', version, body)).to.deep.equal([]);
      expect((await read(path)).session_status).to.equal('active');
    });

    it(`needs an instrument of a handler that is offered, for this session, and no card itself, in ${version}`, async () => {
      const agent = buyer();
      const { path } = await agent.begin(['mug', 1]);
      const bare = await agent.browser.post(`${path}/complete`, {});
      expect([bare.status, codeOf(bare), bare.body.messages[0].path]).to.deep.equal([
        ...[400, 'missing', '$.payment'],
      ]);
      const bound = {
        credential: { type: 'token', token: 'tok_success', binding: { checkout_id: newId() } },
      };
      const card = { credential: { type: 'card', number: '4242424242424242' } };
      for (const [token, paid, code] of [
        ['tok_success', { handler: 'nobody:card' }, 'invalid_payment_handler'],
        ['tok_unheard_of', {}, 'invalid'],
        ['other_token', { handler: 'mock_payment_handler' }, 'invalid'],
        [null, {}, 'missing'],
        [null, { more: bound }, 'invalid'],
        [null, { more: card }, 'invalid'],
        [null, { more: card, handler: 'google_pay' }, 'invalid'],
      ] as const) {
        const refused = await agent.complete(path, token, paid);
        expect([refused.status, codeOf(refused)], JSON.stringify(paid)).to.deep.equal([400, code]);
        expect(schemaProblems('error', version, refused.body)).to.deep.equal([]);
      }
      expect((await read(path)).status).to.equal('ready_for_complete');
    });

    it(`is tested with handlers that shoppers are not offered, in ${version}`, async () => {
      const agent = buyer();
      const mock = { handler: 'mock_payment_handler' };
      const { path } = await agent.begin(['mug', 1]);
      expect((await agent.complete(path, 'fail_token', mock)).status).to.equal(402);
      const fraud = await agent.complete(path, 'fraud_token', { ...mock, key: 'the-same-key' });
      expect([fraud.status, codeOf(fraud)]).to.deep.equal([403, 'payment_failed']);
      expect(schemaProblems('error', version, fraud.body)).to.deep.equal([]);
      expect((await agent.complete(path, 'success_token', mock)).body.status).to.equal('completed');
      const card = { credential: { type: 'card', number: '4242424242424242', cvc: '123' } };
      const byCard = await agent.complete((await agent.begin(['mug', 1])).path, null, {
        ...mock,
        more: card,
      });
      expect(byCard.body.status).to.equal('completed');
      for (const handler of ['google_pay', 'shop_pay']) {
        const { path: another } = await agent.begin(['mug', 1]);
        expect((await agent.complete(another, 'success_token', { handler })).body.status).to.equal(
          'completed',
        );
      }
      expect(JSON.stringify(await eventsIn(shop))).not.to.include('4242424242424242');
      const { providers } = (await shop.shopper().get('/api/shop/checkout/payment-options')).body;
      expect(JSON.stringify(providers)).not.to.match(/mock_payment_handler|google_pay|shop_pay/);
    });

    it(`waits while a provider owes the outcome, and is completed by it, in ${version}`, async () => {
      const agent = buyer();
      const { path } = await agent.begin(['mug', 1]);
      const waiting = await agent.complete(path, 'tok_pending');
      expect([waiting.status, waiting.body.status]).to.deep.equal([200, 'complete_in_progress']);
      for (const asked of [
        await agent.complete(path),
        await agent.browser.put(path, { buyer: null }),
        await agent.browser.ask({ method: 'POST', path: `${path}/cancel` }),
      ])
        expect([asked.status, codeOf(asked)]).to.deep.equal([409, 'checkout_not_modifiable']);
      await becomes(path, 'complete_in_progress');
      const owed = (await eventsIn(shop)).findLast(({ type }) => type === 'PaymentPending');
      const { transactionId } = owed?.data as { readonly transactionId: string };
      const invoiceId = owed?.stream.replace('invoice-', '') ?? '';
      const data = { transactionId, invoiceId, amount: 17, currency: 'GBP' };
      expect((await sendEvent(shop.tester, { type: 'PaymentCompleted', data })).status).to.equal(200);
      await becomes(path, 'completed');
      const done = (await agent.browser.get(path)).body;
      fits(done);
      expect(done.order.id).to.equal(invoiceId);
    });

    it(`charges nothing where the provider is away, and is tried again under the same key, in ${version}`, async () => {
      const agent = buyer();
      const before = await charged();
      const { path } = await agent.begin(['mug', 1]);
      const key = newId();
      const away = await agent.complete(path, 'tok_unavailable', { key });
      expect([away.status, codeOf(away)]).to.deep.equal([503, 'payment_unavailable']);
      expect(away.headers.get('Retry-After')).to.match(/^[1-9]\d*$/);
      expect(schemaProblems('error', version, away.body)).to.deep.equal([]);
      expect((await read(path)).status).to.equal('ready_for_complete');
      const again = await agent.complete(path, 'tok_unavailable', { key });
      expect(again.status).to.equal(503);
      expect(await charged()).to.equal(before);
      const paid = await agent.complete(path);
      expect(paid.body.status).to.equal('completed');
      expect(await charged()).to.equal(before + 1);
      const failed = (await eventsIn(shop)).filter(({ type }) => type === 'AgentSessionCompletionFailed');
      expect(failed.at(-1)?.data).to.include({ invoiceId: paid.body.order.id });
    });

    it(`says that stock is insufficient where it went since the update, in ${version}`, async () => {
      const agent = buyer();
      const sku = `fresh-${version}`;
      const { path } = await agent.begin([sku, 2]);
      expect((await agent.buy([sku, 2])).body.status).to.equal('completed');
      const refused = await agent.complete(path);
      expect([refused.status, codeOf(refused)], refused.text).to.deep.equal([409, 'out_of_stock']);
      expect(refused.body.detail ?? refused.body.messages[0].content).to.match(/^Insufficient stock/);
      expect(schemaProblems('error', version, refused.body)).to.deep.equal([]);
    });
  }

  it('goes on at the provider where the buyer is needed, and is completed by the return', async () => {
    const { path } = await agent.begin(['mug', 1]);
    const sent = await agent.complete(path, null, redirect);
    expect(sent.body).to.include({ status: 'requires_escalation', session_status: 'active' });
    expect(checkoutProblems(sent.body)).to.deep.equal([]);
    expect(sent.body.messages.map(({ code }: { code: string }) => code)).to.include(
      'payment_action_required',
    );
    const url = new URL(sent.body.continue_url);
    await shop.shopper().get(url.pathname + url.search);
    await becomes(path, 'completed');
  });

  it('leaves a payment that waits for the buyer for another one', async () => {
    const { path } = await agent.begin(['mug', 1]);
    expect((await agent.complete(path, 'tok_3ds')).body.status).to.equal('requires_escalation');
    const paid = await agent.complete(path);
    expect(paid.body.status, paid.text).to.equal('completed');
    expect(await shop.charges(paid.body.order.id)).to.have.length(1);
  });

  it('goes on, as after any other change, where its time has passed while the buyer was at the provider', async () => {
    const minutesLater = (minutes: number) =>
      shop.tester.post('/testing/clock', { advanceSeconds: minutes * 60 });
    const { path } = await agent.begin(['mug', 1]);
    await minutesLater(350);
    expect((await agent.complete(path, null, redirect)).body.status).to.equal('requires_escalation');
    await minutesLater(15);
    const paid = await agent.complete(path);
    expect(paid.body.status, paid.text).to.equal('completed');
  });

  it('sells nothing at the page of a payment that was given up, and its order is closed', async () => {
    for (const [goOn, status] of [
      [(path: string) => agent.browser.ask({ method: 'POST', path: `${path}/cancel` }), 'canceled'],
      [(path: string) => agent.browser.put(path, { line_items: wanting(['mug', 2]) }), 'ready_for_complete'],
      [(path: string) => agent.complete(path, 'tok_decline'), 'ready_for_complete'],
    ] as const) {
      const { path } = await agent.begin(['mug', 1]);
      const page = new URL((await agent.complete(path, null, redirect)).body.continue_url);
      const awaited = (await eventsIn(shop)).findLast(({ type }) => type === 'AgentSessionPaymentAwaited');
      const { invoiceId } = awaited?.data as { invoiceId: string };
      await goOn(path);
      await shop.settle();
      await shop.shopper().get(page.pathname + page.search);
      await becomes(path, status);
      const of = (await eventsIn(shop)).filter(({ stream }) => stream === streamOf.invoice(invoiceId));
      const types = of.map(({ type }) => type);
      expect(types, status).to.include.members(['InvoiceCancelled', 'PaymentSessionsVoided']);
      expect(types).not.to.include('SaleConfirmed');
    }
  });

  it('is left to a shopper whose payment is under way: it is not cancelled, and does not expire', async () => {
    const { path } = await agent.begin(['mug', 1]);
    const token = String((await read(path)).continue_url).split('/continue/')[1] ?? '';
    const shopper = shop.shopper();
    await shopper.get(`/api/shop/checkout/continue/${token}`);
    const { invoiceId } = (await shopper.pay()).body;
    expect((await shopper.payWith(invoiceId, 'tok_pending')).body.status).to.equal('Pending');
    const cancelled = await agent.browser.ask({ method: 'POST', path: `${path}/cancel` });
    expect([cancelled.status, codeOf(cancelled)]).to.deep.equal([409, 'checkout_not_modifiable']);
    await shop.tester.post('/testing/clock', { advanceSeconds: 6 * 3600 + 60 });
    await shop.tester.post('/testing/jobs/expire-agent-sessions');
    expect((await read(path)).session_status).to.equal('active');
  });

  it('is the same for a repeat, which gets the same bytes, and the same order once the answer is lost', async () => {
    const { path } = await agent.begin(['mug', 1]);
    const key = newId();
    const first = await agent.complete(path, 'tok_success', { key });
    const again = await agent.complete(path, 'tok_success', { key });
    expect(again.text).to.equal(first.text);
    expect(again.headers.get('Idempotency-Replayed')).to.equal('true');
    const { stateStore } = shop.shop.runtime;
    await stateStore.deleteMany('idempotency', { expiresAt: { gte: 0 } }, 1000);
    const lost = await agent.complete(path, 'tok_success', { key });
    expect([lost.status, lost.body.order]).to.deep.equal([200, first.body.order]);
    expect(await shop.charges(first.body.order.id)).to.have.length(1);
  });

  it('happens once, whoever else completes, cancels or changes the session at the same time', async () => {
    const { id, path } = await agent.begin(['mug', 1]);
    const completing = Array.from({ length: 4 }, () => agent.complete(path));
    const cancelling = agent.browser.ask({ method: 'POST', path: `${path}/cancel` });
    const changing = agent.browser.put(path, { line_items: wanting(['mug', 3]) });
    const answers = await Promise.all(completing);
    const [cancelled, changed] = await Promise.all([cancelling, changing]);
    await shop.settle();
    const session = await read(path);
    const hasCompleted = session.status === 'completed';

    expect(session.status).to.equal(cancelled.status === 200 ? 'canceled' : 'completed');
    const refused = [...answers, cancelled, changed].filter(({ status }) => status !== 200);
    for (const answer of refused) {
      expect(answer.status, answer.text).to.equal(409);
      expect(['checkout_not_modifiable', 'conflict']).to.include(codeOf(answer));
    }
    const done = answers.filter(({ status }) => status === 200);
    expect(done.map(({ body }) => body.order.id)).to.deep.equal(hasCompleted ? [session.order.id] : []);

    const invoices = (await eventsIn(shop)).filter(
      ({ type, data }) =>
        type === 'InvoiceCreated' &&
        (data as EventOfType<InvoiceEvent, 'InvoiceCreated'>['data']).content.source.sessionId === id,
    );
    const charges = await Promise.all(invoices.map(({ stream }) => shop.charges(idOf(stream))));
    const amounts = charges.flat().map(({ amount }) => amount);
    if (!hasCompleted) {
      expect(amounts).to.deep.equal([]);
      return;
    }
    const quantity = changed.status === 200 ? 3 : 1;
    expect(session.line_items.map((line: { quantity: number }) => line.quantity)).to.deep.equal([quantity]);
    const { content } = await placed(session.order.id);
    const total = session.totals.find(({ type }: { type: string }) => type === 'total').amount;
    expect([content.itemCount, content.amounts.total]).to.deep.equal([quantity, total]);
    expect(amounts.map((amount) => amount * 100)).to.deep.equal([total]);
  });

  it('bills whom the instrument names', async () => {
    const { path } = await agent.begin(['mug', 1]);
    const billing = { street_address: '1 Bill Street', address_locality: 'Leeds', address_country: 'GB' };
    const paid = await agent.complete(path, 'tok_success', { more: { billing_address: billing } });
    const { billingAddress, shippingAddress } = await placed(paid.body.order.id);
    expect([billingAddress?.addressOne, shippingAddress?.addressOne]).to.deep.equal([
      ...['1 Bill Street', '12 High Street'],
    ]);
  });

  for (const died of ['OrderPlacementStarted', 'PaymentCaptured', 'AgentSessionCompleted'])
    it(`goes on with the same request where it stopped before ${died}`, async () => {
      const { path } = await agent.begin(['mug', 1]);
      const key = newId();
      killBefore(log, holds(died));
      agent.browser.expectsDefects = true;
      expect((await agent.complete(path, 'tok_success', { key })).status).to.equal(500);
      agent.browser.expectsDefects = false;
      const again = await agent.complete(path, 'tok_success', { key });
      expect(again.body.status, again.text).to.equal('completed');
      expect(await shop.charges(again.body.order.id)).to.have.length(1);
    });
});
