import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { EventStore } from '#ports/event-store.ts';
import { loadConfig } from '#runtime/config.ts';
import type { ApiResponse } from '#test/support/browser.ts';
import { faultyEventStore, holds, type FaultyEventStore } from '#test/support/faults.ts';
import {
  callbackBody,
  hashOf,
  plainSignature,
  sendCallback,
  sendEvent,
  timedSignature,
} from '#test/support/provider-callbacks.ts';
import { manage } from '#test/support/requests.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';

const paid = { type: 'PaymentCompleted' };

describe('what a payment provider tells the shop', () => {
  let shop: TestShop;
  let mug: string;
  let shopper: Shopper;
  let invoiceId: string;

  before(async () => {
    shop = await TestShop.open({ environment: { Payments__CallbacksPerMinute: '0' } });
    mug = await shop.sell('mug', { price: 10 });
  });
  after(() => shop.close());
  beforeEach(async () => {
    shopper = shop.shopper();
    await shopper.prepare(mug);
    invoiceId = (await shopper.pay()).body.invoiceId;
  });

  const eventsOf = async (): Promise<readonly string[]> =>
    (await eventsIn(shop)).filter(({ stream }) => stream === `invoice-${invoiceId}`).map(({ type }) => type);
  const order = async () => {
    await shop.settle();
    return (await shop.admin.get(`/backoffice/api/v1/orders/${invoiceId}`)).body;
  };
  /** As the invoice's stream has it. */
  const balance = async (): Promise<object> => {
    await shop.settle();
    const all = (await eventsIn(shop)).filter(({ stream }) => stream === `invoice-${invoiceId}`);
    return all.flatMap(({ data }) => (data as { balance?: object }).balance ?? []).at(-1) ?? {};
  };
  const chargesOf = async () =>
    (await shop.charges()).filter((charge) => charge.invoiceId === invoiceId).map(({ amount }) => amount);
  const refundsOf = async (): Promise<readonly number[]> =>
    ((await shop.tester.get('/testing/sandbox-refunds')).body as { invoiceId: string; amount: number }[])
      .filter((refund) => refund.invoiceId === invoiceId)
      .map(({ amount }) => amount);
  const transaction = (): string => `tx-${invoiceId}`;
  /** 17.00: a mug, its shipping and 20 % tax on the mug. */
  const payment = (more: object = {}) => ({
    transactionId: transaction(),
    invoiceId,
    amount: 17,
    currency: 'GBP',
    ...more,
  });
  const expectResponse = ({ status, body, text }: ApiResponse, ...expected: readonly unknown[]): void => {
    expect([status, body], text).to.deep.equal(expected);
  };
  const processed = (eventType: string) => ({ message: 'Webhook processed', eventType });

  describe('is refused', () => {
    const body = callbackBody({ ...paid, data: {} });
    const caller = () => shop.tester;

    it('404 for a provider that is not there or not set up, and for one that tells nothing', async () => {
      for (const alias of ['stripy', 'stripe', 'manual']) {
        const answer = await sendCallback(shop, caller(), body, plainSignature(body), alias);
        expectResponse(answer, 404, { message: `Provider '${alias}' not found.` });
      }
    });

    it('400 when it is empty, before anybody looks at its signature', async () => {
      expectResponse(await sendCallback(shop, caller(), '', {}), 400, { message: 'Empty payload.' });
    });

    it('400 when its signature is missing, another secret’s, or over other bytes', async () => {
      const other = JSON.stringify(JSON.parse(body), null, 2);
      const wrong = [
        {},
        plainSignature(body, 'another secret'),
        plainSignature(other),
        plainSignature(`${body} `),
        { 'X-Signature': '' },
        { 'X-Signature': 'not base64 at all' },
      ];
      for (const headers of wrong)
        expectResponse(await sendCallback(shop, caller(), body, headers), 400, {
          message: 'Invalid webhook signature.',
        });
    });

    it('400 when the signature with a time is older or newer than five minutes, though the plain one is right', async () => {
      const seconds = Math.floor(shop.shop.runtime.clock.now() / 1000);
      for (const at of [seconds - 310, seconds + 310]) {
        const headers = { ...timedSignature(body, at), ...plainSignature(body) };
        expectResponse(await sendCallback(shop, caller(), body, headers), 400, {
          message: 'Invalid webhook signature.',
        });
      }
      const unknown = callbackBody({ type: 'Greeting', data: {} });
      const answer = await sendCallback(shop, caller(), unknown, timedSignature(unknown, seconds - 290));
      expectResponse(answer, 200, { message: 'Ignored' });
    });

    it('400 when it has no type, is no JSON, or names no amount', async () => {
      for (const odd of [
        '{"id":"evt"}',
        'not json',
        '[]',
        JSON.stringify({ ...paid, data: { amount: 'ten' } }),
      ]) {
        const { status, body: answered } = await sendCallback(shop, caller(), odd);
        expect(status, odd).to.equal(400);
        expect(answered.message, odd).to.match(/^(type|body|data\.amount): must be /);
      }
    });

    it('400 when a name in it is longer than anybody calls anything, or a risk or a rate is none', async () => {
      const long = 'x'.repeat(251);
      const odd: readonly (readonly [object, string])[] = [
        [{ id: long }, 'id: must be at most 250 characters'],
        ...['transactionId', 'sessionId', 'invoiceId', 'refundId', 'disputeId'].map(
          (name) => [{ data: { [name]: long } }, `data.${name}: must be at most 250 characters`] as const,
        ),
        ...[-1, 101, '80'].map(
          (riskScore) => [{ data: { riskScore } }, 'data.riskScore: must be a number from 0 to 100'] as const,
        ),
        ...[{}, 'dear', 0].map(
          (settlementExchangeRate) =>
            [
              { data: { settlementCurrency: 'EUR', settlementAmount: 1, settlementExchangeRate } },
              'data.settlementExchangeRate: must be a rate above 0',
            ] as const,
        ),
      ];
      for (const [what, message] of odd) {
        const answer = await sendCallback(
          shop,
          caller(),
          JSON.stringify({ type: 'PaymentCompleted', ...what }),
        );
        expectResponse(answer, 400, { message });
      }
    });

    it('413 when it is larger than a megabyte, 405 when it is no POST, 404 elsewhere under /shop/webhooks', async () => {
      const large = JSON.stringify({ ...paid, filler: 'x'.repeat(1_000_000) });
      const refusals = [
        await sendCallback(shop, caller(), large),
        await caller().get('/shop/webhooks/payments/sandbox'),
      ];
      expect(refusals.map(({ status }) => status)).to.deep.equal([413, 405]);
      for (const { body: refusal } of refusals) expect(Object.keys(refusal)).to.deep.equal(['message']);
      expectResponse(await caller().post('/shop/webhooks/nowhere'), 404, {
        message: 'There is nothing at this address.',
      });
    });

    it('and changes nothing', async () => {
      const answer = await sendCallback(shop, caller(), callbackBody({ ...paid, data: payment() }), {});
      expect(answer.status).to.equal(400);
      expect(await eventsOf()).to.deep.equal(['InvoiceCreated']);
      expect(await chargesOf()).to.deep.equal([]);
    });
  });

  describe('of a payment', () => {
    it('pays its invoice and makes the sale; a copy changes nothing', async () => {
      const event = { id: newId(), ...paid, data: payment() };
      expectResponse(await sendEvent(shop.tester, event), 200, processed('PaymentCompleted'));
      expectResponse(await sendEvent(shop.tester, event), 200, { message: 'Already processed' });
      expect(await eventsOf()).to.deep.equal([
        'InvoiceCreated',
        'PaymentCaptured',
        'OrderStatusChanged',
        'SaleConfirmed',
      ]);
      expect(await order()).to.include({ paymentStatus: 'Paid', amountPaid: 17 });
      expect(await chargesOf()).to.deep.equal([17]);
    });

    it('is known by its transaction: told again under another event, it is one payment', async () => {
      await sendEvent(shop.tester, { ...paid, data: payment() });
      expectResponse(
        await sendEvent(shop.tester, { ...paid, data: payment() }),
        200,
        processed('PaymentCompleted'),
      );
      expect((await eventsOf()).filter((type) => type === 'PaymentCaptured')).to.have.length(1);
      expect(await chargesOf()).to.deep.equal([17]);
    });

    it('is as risky as its provider says last, also once it was charged', async () => {
      const { transactionId } = (await shopper.payWith(invoiceId)).body;
      const told = (data: object) => sendEvent(shop.tester, { ...paid, data: { transactionId, ...data } });
      const riskOf = async () => {
        const { maxRiskScore, maxRiskScoreSource, riskLevel } = await order();
        return [maxRiskScore, maxRiskScoreSource, riskLevel];
      };
      expect(await riskOf()).to.deep.equal([null, null, null]);
      expectResponse(
        await told({ ...payment({ transactionId }), riskScore: 83, riskScoreSource: 'radar' }),
        200,
        processed('PaymentCompleted'),
      );
      expect(await riskOf()).to.deep.equal([83, 'radar', 'high']);
      const read = async (path: string) => (await shop.admin.get(`/backoffice/api/v1${path}`)).body;
      const { items: rows } = await read('/orders?search=&pageSize=200');
      expect(rows.find(({ id }: { id: string }) => id === invoiceId)).to.include({ maxRiskScore: 83 });
      expect(await read(`/invoices/${invoiceId}/payment-status`)).to.include({ riskLevel: 'high' });
      expect((await read(`/invoices/${invoiceId}/payments`)).items[0]).to.include({
        riskScore: 83,
        riskScoreSource: 'radar',
        riskLevel: 'high',
      });

      // The same again, nothing of it, and another opinion, without the amount.
      await told({ ...payment({ transactionId }), riskScore: 83, riskScoreSource: 'radar' });
      await told(payment({ transactionId }));
      expect(await riskOf()).to.deep.equal([83, 'radar', 'high']);
      await told({ riskScore: 30, riskScoreSource: 'radar' });
      expect(await riskOf()).to.deep.equal([30, 'radar', 'low']);
      const types = await eventsOf();
      expect(types.filter((type) => type === 'PaymentRiskAssessed')).to.have.length(2);
      expect(types.filter((type) => type === 'PaymentCaptured')).to.have.length(1);
    });

    it('is told apart by a hash of its bytes where it has no id', async () => {
      const body = JSON.stringify({ ...paid, data: payment() });
      expectResponse(await sendCallback(shop, shop.tester, body), 200, processed('PaymentCompleted'));
      expectResponse(await sendCallback(shop, shop.tester, body), 200, { message: 'Already processed' });
      const [row] = await shop.shop.runtime.stateStore.find('inbound_webhook_events', {
        filter: { _id: { exists: true }, expiresAt: { gt: 0 }, eventId: hashOf(body) },
      });
      expect(row).to.include({ provider: 'sandbox', eventType: 'PaymentCompleted', outcome: 'recorded' });
    });

    it('goes to the invoice of its transaction, whatever invoice it names', async () => {
      const card = await shopper.payWith(invoiceId);
      const { transactionId } = card.body;
      const other = shop.shopper();
      await other.prepare(mug);
      const otherId = (await other.pay()).body.invoiceId;
      const told = await sendEvent(shop.tester, {
        ...paid,
        data: payment({ transactionId, invoiceId: otherId }),
      });
      expectResponse(told, 200, processed('PaymentCompleted'));
      expect((await eventsOf()).filter((type) => type === 'PaymentCaptured')).to.have.length(1);
      expect((await shop.admin.get(`/backoffice/api/v1/orders/${otherId}`)).body.paymentStatus).to.equal(
        'Unpaid',
      );
    });

    it('beats an earlier failure of the same transaction', async () => {
      await sendEvent(shop.tester, { type: 'PaymentFailed', data: payment({ reason: 'no funds' }) });
      expect(await order()).to.include({ paymentStatus: 'Unpaid' });
      await sendEvent(shop.tester, { ...paid, data: payment() });
      expect(await order()).to.include({ paymentStatus: 'Paid', amountPaid: 17 });
      await sendEvent(shop.tester, { type: 'PaymentFailed', data: payment() });
      expect(await order()).to.include({ paymentStatus: 'Paid' });
    });

    it('of another amount is recorded as it is: a part is a part, and more makes a credit', async () => {
      await sendEvent(shop.tester, { ...paid, data: payment({ amount: 5 }) });
      expect(await order()).to.include({ paymentStatus: 'PartiallyPaid', balanceDue: 12 });
      await sendEvent(shop.tester, {
        ...paid,
        data: payment({ transactionId: `more-${transaction()}`, amount: 20 }),
      });
      expect(await order()).to.include({ paymentStatus: 'Paid', balanceDue: 0, creditDue: 8 });
      await shop.settle();
      expect(await refundsOf()).to.deep.equal([]);
    });

    it('in another currency is noted, not recorded', async () => {
      const answer = await sendEvent(shop.tester, { ...paid, data: payment({ currency: 'EUR' }) });
      expectResponse(answer, 200, processed('PaymentCompleted'));
      expect(await eventsOf()).to.deep.equal(['InvoiceCreated', 'InvoiceNoted']);
      expect(await chargesOf()).to.deep.equal([]);
    });

    it('of a paid invoice is recorded, and refunded once', async () => {
      await shopper.payWith(invoiceId);
      await sendEvent(shop.tester, { ...paid, data: payment() });
      await shop.settle();
      expect(await balance()).to.include({ amountPaid: 3400, amountRefunded: 1700, creditDue: 0 });
      expect(await refundsOf()).to.deep.equal([17]);
      expect((await eventsOf()).filter((type) => type === 'SaleConfirmed')).to.have.length(1);
    });

    it('that nobody can place is answered 200, and changes nothing', async () => {
      const nowhere = [
        payment({ invoiceId: newId() }),
        payment({ invoiceId: 'no guid' }),
        payment({ transactionId: undefined }),
        payment({ amount: undefined }),
        payment({ amount: 0 }),
      ];
      for (const data of nowhere)
        expectResponse(await sendEvent(shop.tester, { ...paid, data }), 200, processed('PaymentCompleted'));
      expect(await eventsOf()).to.deep.equal(['InvoiceCreated']);
    });
  });

  it('of a failed or cancelled payment is noted once, and the invoice can be paid', async () => {
    for (const [type, reason] of [
      ['PaymentFailed', 'no'],
      ['PaymentCancelled', 'x'.repeat(100_000)],
    ] as const)
      expectResponse(await sendEvent(shop.tester, { type, data: payment({ reason }) }), 200, processed(type));
    expect(await eventsOf()).to.deep.equal(['InvoiceCreated', 'PaymentDeclined', 'InvoiceNoted']);
    const notes = ((await order()).notes as readonly { text: string }[]).map(({ text }) => text);
    expect(notes[0]).to.equal('Payment failed (sandbox): no');
    expect(notes[1])
      .to.match(/was cancelled\. x{1000}$/)
      .and.not.match(/x{1001}/);
    expect(notes).to.have.length(2);
    const list = manage.get(`/invoices/${invoiceId}/payments`);
    const [failed, ...others] = (await shop.admin.ask(list)).body.items;
    expect(others).to.deep.equal([]);
    expect(failed).to.include({ paymentSuccess: false, status: 'Failed', amount: 17, description: 'no' });
    expect(failed).to.include({ transactionId: transaction(), refundableAmount: 0 });
    const refund = manage.post(`/payments/${failed.id}/refund`, { reason: 'why not' });
    expect((await shop.admin.ask(refund)).status).to.equal(400);
    expect((await shopper.payWith(invoiceId)).body.status).to.equal('Completed');
    // A deleted invoice takes along what it failed by.
    const one = manage.get(`/payments/${failed.id}`);
    expect((await shop.admin.ask(one)).status).to.equal(200);
    await shop.admin.ask(manage.post('/orders/delete', { ids: [invoiceId] }));
    await shop.settle();
    expect((await shop.admin.ask(one)).status).to.equal(404);
  });

  describe('of a refund', () => {
    const refund = (more: object = {}) => ({
      type: 'RefundCompleted',
      data: payment({ refundId: `re-${invoiceId}`, amount: 5, ...more }),
    });

    const failed = (more: object = {}) => ({ ...refund(more), type: 'RefundFailed' });

    it('that failed takes the refund back, notes it, and waits for staff; told first, it waits for the refund', async () => {
      await sendEvent(shop.tester, { ...paid, data: payment() });
      await sendEvent(shop.tester, failed({ reason: 'The card is closed.' }));
      expect(await eventsOf()).to.not.include('RefundFailed');
      await sendEvent(shop.tester, { ...refund(), id: `r-${invoiceId}` });
      expect((await eventsOf()).at(-1)).to.equal('RefundFailed');
      expect(await balance()).to.include({ paymentStatus: 'Paid', amountRefunded: 0, creditDue: 0 });
      expect(await refundsOf()).to.deep.equal([]);
      expectResponse(await sendEvent(shop.tester, failed()), 200, processed('RefundFailed'));
      expect((await eventsOf()).filter((type) => type === 'RefundFailed')).to.have.length(1);
      await shop.settle();
      const { notes } = (await shop.admin.get(`/backoffice/api/v1/orders/${invoiceId}`)).body;
      expect(notes.at(-1).text).to.match(
        /5\.00 could not be refunded after all \(sandbox\): The card is closed\./,
      );
      const checks = await shop.admin.get('/backoffice/api/v1/health-checks/money-owed-back/details');
      expect(JSON.stringify(checks.body)).to.include('The card is closed.');
    });

    it('is recorded once, by the provider’s name of it; another one of the same payment is another refund', async () => {
      await sendEvent(shop.tester, { ...paid, data: payment() });
      for (let copy = 0; copy < 2; copy++)
        expectResponse(await sendEvent(shop.tester, refund()), 200, processed('RefundCompleted'));
      await sendEvent(shop.tester, refund({ refundId: `re-2-${invoiceId}`, amount: 2 }));
      expect((await eventsOf()).filter((type) => type === 'PaymentRefunded')).to.have.length(2);
      expect(await balance()).to.include({ paymentStatus: 'PartiallyRefunded', amountRefunded: 700 });
      expect([...(await refundsOf())].sort()).to.deep.equal([2, 5]);
    });

    it('that is more than is left is recorded as far as that goes, and noted', async () => {
      await sendEvent(shop.tester, { ...paid, data: payment() });
      await sendEvent(shop.tester, refund({ amount: 40 }));
      expect((await eventsOf()).slice(-2)).to.deep.equal(['PaymentRefunded', 'InvoiceNoted']);
      expect(await balance()).to.include({ paymentStatus: 'Refunded', amountRefunded: 1700 });
    });

    it('in another currency is noted, not recorded', async () => {
      await sendEvent(shop.tester, { ...paid, data: payment() });
      await sendEvent(shop.tester, refund({ currency: 'EUR' }));
      expect(await eventsOf()).to.not.include('PaymentRefunded');
      expect((await eventsOf()).at(-1)).to.equal('InvoiceNoted');
    });

    it('that comes before its payment waits for it', async () => {
      expectResponse(await sendEvent(shop.tester, refund()), 200, processed('RefundCompleted'));
      expect(await eventsOf()).to.deep.equal(['InvoiceCreated']);
      await sendEvent(shop.tester, { ...paid, data: payment() });
      expect((await eventsOf()).at(-1)).to.equal('PaymentRefunded');
    });

    it('waits also for a payment that comes by another way', async () => {
      const card = shopper.payWith(invoiceId);
      const { transactionId } = (await card).body;
      const early = shop.shopper();
      await early.prepare(mug);
      await sendEvent(shop.tester, refund({ transactionId: 'unheard of', invoiceId: undefined }));
      const late = await shop.tester.post('/testing/jobs/apply-parked-callbacks');
      expect(late.status).to.equal(200);
      expect(await eventsOf()).to.not.include('PaymentRefunded');
      await sendEvent(shop.tester, refund({ transactionId }));
      expect((await eventsOf()).at(-1)).to.equal('PaymentRefunded');
    });
  });

  describe('of a dispute', () => {
    const dispute = (type: string, more: object = {}) => ({
      type,
      data: payment({ disputeId: `dp-${invoiceId}`, ...more }),
    });
    const orderStatus = async (): Promise<string> => (await order()).orders[0].status;

    const disputeShown = async (): Promise<object> => {
      await shop.settle();
      const { body } = await shop.admin.get(`/backoffice/api/v1/invoices/${invoiceId}/payments`);
      return body.items[0].extendedData.dispute;
    };

    it('puts the orders on hold, and lets them go when it is won', async () => {
      await sendEvent(shop.tester, { ...paid, data: payment() });
      const opened = dispute('DisputeOpened', { reason: 'not received' });
      for (let copy = 0; copy < 2; copy++)
        expectResponse(await sendEvent(shop.tester, opened), 200, processed('DisputeOpened'));
      expect(await orderStatus()).to.equal('OnHold');
      expect(await disputeShown()).to.include({ status: 'opened', id: `dp-${invoiceId}`, amount: 17 });
      for (let copy = 0; copy < 2; copy++)
        expectResponse(
          await sendEvent(shop.tester, dispute('DisputeResolved', { outcome: 'won' })),
          200,
          processed('DisputeResolved'),
        );
      expect(await orderStatus()).to.equal('ReadyToFulfill');
      expect(await disputeShown()).to.include({ status: 'won' });
      expect((await eventsOf()).slice(4)).to.deep.equal([
        'DisputeOpened',
        'InvoiceNoted',
        'OrderStatusChanged',
        'DisputeResolved',
        'InvoiceNoted',
        'OrderStatusChanged',
      ]);
      expect(await refundsOf()).to.deep.equal([]);
    });

    it('that is lost is a refund, and the orders stay on hold', async () => {
      await sendEvent(shop.tester, { ...paid, data: payment() });
      await sendEvent(shop.tester, dispute('DisputeOpened'));
      for (let copy = 0; copy < 2; copy++)
        await sendEvent(shop.tester, dispute('DisputeResolved', { outcome: 'lost' }));
      expect(await orderStatus()).to.equal('OnHold');
      expect(await balance()).to.include({ paymentStatus: 'Refunded' });
      expect((await eventsOf()).filter((type) => type === 'PaymentRefunded')).to.have.length(1);
    });

    it('waits for its payment, and its end for its beginning', async () => {
      await sendEvent(shop.tester, dispute('DisputeResolved', { outcome: 'won' }));
      await sendEvent(shop.tester, dispute('DisputeOpened'));
      expect(await eventsOf()).to.deep.equal(['InvoiceCreated']);
      await sendEvent(shop.tester, { ...paid, data: payment() });
      await shop.tester.post('/testing/clock', { advanceSeconds: 3600 });
      await shop.tester.post('/testing/jobs/apply-parked-callbacks');
      expect(await orderStatus()).to.equal('ReadyToFulfill');
      expect((await eventsOf()).filter((type) => type.startsWith('Dispute'))).to.deep.equal([
        'DisputeOpened',
        'DisputeResolved',
      ]);
    });
  });
});

describe('a payment provider that the shop does not name', () => {
  it('tells nothing, whoever signs with the secret that it has by default', async () => {
    const { payments } = loadConfig({
      env: { NODE_ENV: 'production', Payments__Providers: 'manual', Payments__Manual__ForShoppers: 'true' },
    });
    const shop = await TestShop.open({ config: { payments } });
    try {
      const answer = await sendEvent(shop.tester, { type: 'PaymentCompleted', data: {} });
      expect([answer.status, answer.body]).to.deep.equal([404, { message: "Provider 'sandbox' not found." }]);
    } finally {
      await shop.close();
    }
  });
});

describe('what a payment provider tells while an engine is away', () => {
  let shop: TestShop;
  let log: FaultyEventStore;
  let isLogAway = false;
  let mug: string;
  /** A log that says so from an event on, until it is back. */
  const wrapStore = (store: EventStore): EventStore => {
    log = faultyEventStore(store);
    const gone = () => Promise.reject(new EngineUnavailable('the log is away'));
    return { ...log, append: (...given) => (isLogAway ? gone() : log.append(...given)) };
  };
  before(async () => {
    shop = await TestShop.open({ wrapStore });
    mug = await shop.sell('mug', { price: 10 });
  });
  after(() => shop.close());

  /** Away for one call. */
  const rowsAreAway = (call: 'insertIfAbsent' | 'updateIf'): void => {
    const { stateStore } = shop.shop.runtime;
    const there = stateStore[call].bind(stateStore);
    Object.assign(stateStore, {
      [call]: () => {
        Object.assign(stateStore, { [call]: there });
        return Promise.reject(new EngineUnavailable('the rows are away'));
      },
    });
  };
  const away = {
    'the log, between the payment and its sale': () =>
      log.runBefore('append', holds('SaleConfirmed'), () => {
        isLogAway = true;
        throw new EngineUnavailable('the log has gone');
      }),
    'the rows, before the event is known': () => rowsAreAway('insertIfAbsent'),
    'the rows, before it counts as processed': () => rowsAreAway('updateIf'),
  };
  for (const [what, goes] of Object.entries(away))
    it(`is 503, and is applied once when it is told again: ${what}`, async () => {
      const shopper = shop.shopper();
      await shopper.prepare(mug);
      const { invoiceId } = (await shopper.pay()).body;
      const data = { transactionId: `tx-${invoiceId}`, invoiceId, amount: 17, currency: 'GBP' };
      const event = { id: newId(), type: 'PaymentCompleted', data };
      goes();
      expect((await sendEvent(shop.tester, event)).status).to.equal(503);
      isLogAway = false;
      const again = [await sendEvent(shop.tester, event), await sendEvent(shop.tester, event)];
      expect(again.map(({ status, body }) => [status, body.message])).to.deep.equal([
        [200, 'Webhook processed'],
        [200, 'Already processed'],
      ]);
      await shop.settle();
      const types = (await eventsIn(shop)).filter(({ stream }) => stream === `invoice-${invoiceId}`);
      for (const type of ['PaymentCaptured', 'SaleConfirmed'])
        expect(types.filter((one) => one.type === type)).to.have.length(1);
      const charges = (await shop.charges()).filter((charge) => charge.invoiceId === invoiceId);
      expect(charges).to.have.length(1);
    });
});

describe('how often a payment provider may tell', () => {
  const unknown = () => ({ type: 'Greeting', data: {} });

  it('is sixty times a minute from one address, on the shop’s clock; another provider is counted apart', async () => {
    const shop = await TestShop.open();
    try {
      for (let time = 0; time < 60; time++)
        expect((await sendEvent(shop.tester, unknown())).status).to.equal(200);
      const { status, body, headers } = await sendEvent(shop.tester, unknown());
      expect([status, body]).to.deep.equal([429, { message: 'Too many requests.' }]);
      expect(Number(headers.get('Retry-After'))).to.be.within(1, 60);
      const text = callbackBody(unknown());
      expect((await sendCallback(shop, shop.tester, text, {}, 'manual')).status).to.equal(404);
      await shop.tester.post('/testing/clock', { advanceSeconds: 60 });
      expect((await sendEvent(shop.tester, unknown())).status).to.equal(200);
    } finally {
      await shop.close();
    }
  });
});
