import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import {
  respondWith,
  deliveryIdOf,
  isSigned,
  startReceiver,
  type Receiver,
} from '#test/support/subscriber.ts';
import type { Api } from '#test/support/api.ts';
import { openWebhookApi } from '#test/support/webhook-api.ts';
import { openWebhooks, secret, type WebhookRuntime } from '#test/support/open-webhooks.ts';

type Item = Readonly<Record<string, unknown>>;
const itemsOf = ({ body }: { readonly body: Item }) => body.items as readonly Item[];

describe('webhooks in the backoffice', () => {
  let runtime: WebhookRuntime;
  let receiver: Receiver;
  let api: Api;

  beforeEach(async () => {
    receiver = await startReceiver();
    runtime = await openWebhooks();
    api = await openWebhookApi(runtime);
  });
  afterEach(async () => {
    await api.close();
    await runtime.stop();
    await receiver.stop();
  });

  /** A subscription with one delivery that has failed `times` times, each attempt when it was due. */
  const failed = async (times: number): Promise<{ readonly id: string; readonly delivery: string }> => {
    receiver.answer(respondWith(500, 'no'));
    const id = await runtime.subscribe(receiver.url);
    await runtime.register('Ada');
    await runtime.settle();
    for (const delay of [60, 300, 900, 3600].slice(0, times - 1)) {
      runtime.clock.advance(delay);
      await runtime.runJob('deliver-webhooks');
    }
    const [row] = await runtime.deliveries(id);
    return { id, delivery: row?._id ?? expect.fail('no delivery') };
  };

  it('GET /webhooks lists subscriptions with their counts, newest first, and filters them', async () => {
    const one = await runtime.subscribe(receiver.url);
    const other = await runtime.subscribe('http://127.0.0.1:9/other', { topic: 'order.created' });
    const position = await runtime.register('Ada');
    await runtime.settle();
    const answer = await api.get('/api/v1/webhooks', { 'Tillroll-Position': String(position) });
    expect(answer.body).to.include({ page: 1, pageSize: 20, totalItems: 2, totalPages: 1 });
    expect(itemsOf(answer).map(({ id }) => id)).to.have.members([one, other]);
    expect(itemsOf(answer).find(({ id }) => id === one)).to.include({
      topicDisplayName: 'Customer Created',
      authType: 'HmacSha256',
      authTypeValue: 1,
      authTypeDisplay: 'HMAC SHA-256',
      successCount: 1,
      failureCount: 0,
      lastErrorMessage: null,
    });
    expect(itemsOf(await api.get('/api/v1/webhooks?topic=order.created')).map(({ id }) => id)).to.deep.equal([
      other,
    ]);
    expect(itemsOf(await api.get('/api/v1/webhooks?searchTerm=OTHER')).map(({ id }) => id)).to.deep.equal([
      other,
    ]);
    expect(itemsOf(await api.get('/api/v1/webhooks?isActive=false'))).to.deep.equal([]);
    expect(itemsOf(await api.get('/api/v1/webhooks?pageSize=1&page=2'))).to.have.length(1);
  });

  it('GET /webhooks/{id} shows the ten newest deliveries and no secret', async () => {
    const id = await runtime.subscribe(receiver.url);
    for (let count = 0; count < 12; count++) {
      runtime.clock.advance(1);
      await runtime.register(`customer ${count}`);
      await runtime.settle();
    }
    const { body } = await api.get(`/api/v1/webhooks/${id}`);
    const recent = body.recentDeliveries as readonly Item[];
    expect(recent).to.have.length(10);
    const created = recent.map(({ dateCreated }) => String(dateCreated));
    expect(created).to.deep.equal(created.toSorted().toReversed());
    expect(JSON.stringify(body)).not.to.contain(secret);
    expect((await api.get(`/api/v1/webhooks/${newId()}`)).status).to.equal(404);
  });

  it('GET /webhooks/{id}/deliveries filters by one status or several', async () => {
    const { id } = await failed(1);
    receiver.answer(respondWith(200));
    await runtime.register('Grace');
    await runtime.settle();
    const count = async (query: string) =>
      (await api.get(`/api/v1/webhooks/${id}/deliveries${query}`)).body.totalItems;
    expect(await count('')).to.equal(2);
    expect(await count('?status=Succeeded')).to.equal(1);
    expect(await count('?status=4')).to.equal(1);
    expect(await count('?statuses=Succeeded&statuses=retrying&status=Pending')).to.equal(2);
    expect(await count('?status=Failed')).to.equal(0);
    expect((await api.get(`/api/v1/webhooks/${newId()}/deliveries`)).status).to.equal(404);
  });

  it('GET /webhooks/deliveries/{id} shows what was sent and answered, signatures struck out', async () => {
    const { id, delivery } = await failed(1);
    const { body } = await api.get(`/api/v1/webhooks/deliveries/${delivery}`);
    const [received] = receiver.received;
    expect(body).to.include({
      id: delivery,
      deliveryType: 0,
      configurationId: id,
      status: 'Retrying',
      statusValue: 4,
      attemptNumber: 1,
      responseStatusCode: 500,
      responseBody: 'no',
      targetUrl: receiver.url,
      requestBody: String(received?.body),
      nextRetryUtc: '2026-03-01T12:01:00.000Z',
      dateCompleted: null,
      retriedBy: null,
    });
    expect(body.requestHeaders).to.include({
      'X-Service-Delivery-Id': delivery,
      'X-Service-Hmac-SHA256': '***',
      'User-Agent': 'Service-Webhooks/1.0',
    });
    expect((await api.get(`/api/v1/webhooks/deliveries/${newId()}`)).status).to.equal(404);
  });

  it('the schedule is kept to, and ends', async () => {
    const { delivery } = await failed(5);
    const { body } = await api.get(`/api/v1/webhooks/deliveries/${delivery}`);
    expect(body).to.include({ status: 'Abandoned', attemptNumber: 5, nextRetryUtc: null });
    const attempts = body.attempts as readonly Item[];
    expect(attempts.map(({ attemptNumber, dateSent }) => [attemptNumber, dateSent])).to.deep.equal([
      [5, '2026-03-01T13:21:00.000Z'],
      [4, '2026-03-01T12:21:00.000Z'],
      [3, '2026-03-01T12:06:00.000Z'],
      [2, '2026-03-01T12:01:00.000Z'],
      [1, '2026-03-01T12:00:00.000Z'],
    ]);
    const errorMessage = 'The receiver answered with status 500';
    for (const attempt of attempts) expect(attempt).to.include({ responseStatusCode: 500, errorMessage });
    runtime.clock.advance(100_000);
    expect(await runtime.runJob('deliver-webhooks')).to.include({ due: 0 });
    expect(receiver.received).to.have.length(5);
    expect(new Set(receiver.received.map(deliveryIdOf)).size).to.equal(1);
  });

  it('a retry by hand takes the place of the scheduled one and goes on with the schedule', async () => {
    const { id, delivery } = await failed(1);
    const retried = await api.post(`/api/v1/webhooks/deliveries/${delivery}/retry`);
    expect(retried.status).to.equal(200);
    expect(retried.body).to.include({
      id: delivery,
      status: 'Retrying',
      attemptNumber: 2,
      nextRetryUtc: '2026-03-01T12:05:00.000Z',
    });
    const { body: shown } = await api.get(`/api/v1/webhooks/deliveries/${delivery}`);
    expect(shown.retriedBy).to.equal('api-key');
    runtime.clock.advance(60);
    expect(await runtime.runJob('deliver-webhooks')).to.include({ due: 0 });
    receiver.answer(respondWith(200));
    expect((await api.post(`/api/v1/webhooks/deliveries/${delivery}/retry`)).body).to.include({
      status: 'Succeeded',
    });
    expect((await api.get(`/api/v1/webhooks/${id}`)).body).to.include({ successCount: 1, failureCount: 2 });
    expect((await api.post(`/api/v1/webhooks/deliveries/${delivery}/retry`)).status).to.equal(400);
    runtime.clock.advance(100_000);
    await runtime.runJob('deliver-webhooks');
    expect(receiver.received).to.have.length(3);
  });

  it('a retry by hand after the end gives up again when it fails', async () => {
    const { delivery } = await failed(5);
    const again = await api.post(`/api/v1/webhooks/deliveries/${delivery}/retry`);
    expect(again.body).to.include({ status: 'Abandoned', attemptNumber: 6 });
    expect((await api.post(`/api/v1/webhooks/deliveries/${newId()}/retry`)).status).to.equal(404);
  });

  it('deliveries of a subscription that is gone are given up', async () => {
    const { id, delivery } = await failed(1);
    await runtime.unsubscribe(id);
    await runtime.settle();
    runtime.clock.advance(60);
    await runtime.runJob('deliver-webhooks');
    const { body } = await api.get(`/api/v1/webhooks/deliveries/${delivery}`);
    expect(body).to.include({ status: 'Abandoned', errorMessage: 'Subscription not found' });
  });

  it('POST /webhooks/{id}/test sends the sample, signed and marked, and is not tried again', async () => {
    const id = await runtime.subscribe(receiver.url);
    await runtime.follower.waitFor(await runtime.stores.log.head(), 1000);
    const good = await api.post(`/api/v1/webhooks/${id}/test`);
    const [received] = receiver.received;
    expect(good.body).to.include({
      success: true,
      statusCode: 200,
      responseBody: 'ok',
      errorMessage: null,
      deliveryId: received && deliveryIdOf(received),
    });
    expect(received?.headers).to.include({ 'x-service-test': 'true', 'x-service-topic': 'customer.created' });
    expect(received && isSigned(received, secret)).to.equal(true);
    const sent = JSON.parse(String(received?.body)) as { topic: string; data: Item };
    expect(sent.topic).to.equal('customer.created');
    expect(sent.data).to.include({ test: true });
    receiver.answer(respondWith(503));
    expect((await api.post(`/api/v1/webhooks/${id}/test`)).body).to.include({
      success: false,
      statusCode: 503,
    });
    expect((await runtime.deliveries(id)).map(({ status }) => status)).to.have.members([
      'Succeeded',
      'Abandoned',
    ]);
    expect((await api.post(`/api/v1/webhooks/${newId()}/test`)).status).to.equal(404);
  });

  it('POST /webhooks/ping asks without a signature and calls nothing that it must not', async () => {
    const { status, body } = await api.post('/api/v1/webhooks/ping', { url: receiver.url });
    expect(status).to.equal(200);
    expect(body).to.include({ success: true, statusCode: 200, deliveryId: null });
    const [received] = receiver.received;
    expect(received?.headers).to.include({ 'x-service-topic': 'ping', 'user-agent': 'Service-Webhooks/1.0' });
    expect(received?.headers).not.to.have.property('x-service-hmac-sha256');
    expect(JSON.parse(String(received?.body))).to.include({ ping: true });
    const refused = await api.post('/api/v1/webhooks/ping', { url: 'http://10.0.0.1/' });
    expect(refused.body).to.include({ success: false, statusCode: null });
    expect(refused.body.errorMessage).to.match(/^Invalid URL: /);
    for (const without of [{}, { url: '' }, { url: '  ' }])
      expect((await api.post('/api/v1/webhooks/ping', without)).status).to.equal(400);
  });

  it('GET /webhooks/topics names all 36, each with a sample and its JSON Schema, and by category', async () => {
    const topics = (await api.get('/api/v1/webhooks/topics')).body as unknown as readonly Item[];
    expect(topics).to.have.length(36);
    for (const { samplePayload } of topics) expect(JSON.parse(String(samplePayload))).to.be.an('object');
    expect(topics.find(({ key }) => key === 'invoice.refunded')?.schema).to.deep.equal({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        id: { type: 'string', format: 'uuid' },
        invoiceId: { type: 'string', format: 'uuid' },
        refundAmount: { type: 'number', description: 'In units of its currency' },
        refundReason: { type: ['string', 'null'] },
      },
      required: ['id', 'invoiceId', 'refundAmount', 'refundReason'],
    });
    const groups = (await api.get('/api/v1/webhooks/topics/by-category')).body as unknown as readonly Item[];
    const names = groups.map(({ name }) => String(name));
    expect(names).to.deep.equal(names.toSorted());
    expect(names).to.include('Checkout Recovery');
  });

  it('GET /webhooks/stats counts by outcome, of all time and of a window', async () => {
    await failed(1);
    receiver.answer(respondWith(200));
    runtime.clock.advance(3600);
    await runtime.register('Grace', 'Edsger');
    await runtime.settle();
    const { body } = await api.get('/api/v1/webhooks/stats');
    expect(body).to.include({
      totalSubscriptions: 1,
      activeSubscriptions: 1,
      totalDeliveries: 3,
      successfulDeliveries: 3,
      failedDeliveries: 0,
      pendingDeliveries: 0,
      successRate: 100,
      lastDeliveryUtc: '2026-03-01T13:00:00.000Z',
    });
    const early = await api.get('/api/v1/webhooks/stats?to=2026-03-01T12:30:00Z');
    expect(early.body).to.include({ totalDeliveries: 1, lastDeliveryUtc: '2026-03-01T12:00:00.000Z' });
    expect((await api.get('/api/v1/webhooks/stats?from=2026-03-02')).body).to.include({
      totalDeliveries: 0,
      successRate: 0,
      averageResponseTimeMs: 0,
      lastDeliveryUtc: null,
    });
    for (const from of ['yesterday', '9999-12-31T23:59:59-12:00', '0000-01-01T00:00:00%2B12:00'])
      expect((await api.get(`/api/v1/webhooks/stats?from=${from}`)).status, from).to.equal(400);
  });

  it('GET /webhooks/series tells how each hour and each day went, empty ones too', async () => {
    const { id } = await failed(1);
    receiver.answer(respondWith(200));
    runtime.clock.advance(2 * 3600);
    await runtime.register('Grace');
    await receiver.count(2);
    await runtime.dispatch.queues.quiet(1000);
    const series = '/api/v1/webhooks/series?from=2026-03-01T11:30:00Z';
    const { body } = await api.get(`${series}&interval=hour`);
    expect(body).to.deep.include({
      from: '2026-03-01T11:30:00.000Z',
      to: '2026-03-01T14:00:00.000Z',
      interval: 'hour',
      subscriptionId: null,
    });
    const { points } = body as { points: readonly Readonly<Record<string, unknown>>[] };
    expect(
      points.map(({ start, delivered, failed, pending }) => [start, delivered, failed, pending]),
    ).to.deep.equal([
      ['2026-03-01T11:00:00.000Z', 0, 0, 0],
      ['2026-03-01T12:00:00.000Z', 0, 1, 1],
      ['2026-03-01T13:00:00.000Z', 0, 0, 0],
      ['2026-03-01T14:00:00.000Z', 1, 0, 0],
    ]);
    const days = await api.get(`${series}&to=2026-03-02&subscriptionId=${id.toUpperCase()}`);
    expect((days.body as typeof body).points).to.have.length(2);
    expect((days.body as { points: readonly object[] }).points[0]).to.include({
      start: '2026-03-01T00:00:00.000Z',
      delivered: 1,
      failed: 1,
      pending: 1,
    });
  });

  it('GET /webhooks/series knows days up to the last of the year 9998', async () => {
    const { body } = await api.get('/api/v1/webhooks/series?from=9998-12-31&to=9998-12-31&interval=hour');
    const { points } = body as { points: readonly { readonly start: string }[] };
    expect(points).to.have.length(24);
    expect(points.at(-1)?.start).to.equal('9998-12-31T23:00:00.000Z');
  });

  it('figures are refused for no time, too long a time, an unknown interval and an unknown subscription', async () => {
    const refusals: Readonly<Record<string, string>> = {
      series: 'from',
      'series?from=2026-02-01&interval=minute': 'interval',
      'series?from=2026-02-02&to=2026-02-01': 'to',
      'series?from=2026-03-02': 'from',
      'series?from=2026-01-01&interval=hour': 'from',
      'series?from=2020-01-01': 'from',
      'series?from=0001-01-01&to=9998-12-31': 'from',
      'series?from=9999-12-31&to=9999-12-31': 'from',
      'series?from=9998-12-31&to=9999-01-01': 'to',
      'stats?from=9999-12-31T23:30:00Z': 'from',
      'series?from=2026-02-01&subscriptionId=all': 'subscriptionId',
      'stats?from=2026-02-02&to=2026-02-01': 'to',
      'stats?subscriptionId=all': 'subscriptionId',
    };
    for (const [query, field] of Object.entries(refusals)) {
      const { status, body } = await api.get(`/api/v1/webhooks/${query}`);
      expect(status, query).to.equal(400);
      expect(JSON.stringify(body), query).to.match(new RegExp(`"${field}: `));
    }
    const unknown = newId();
    for (const query of [
      `series?from=2026-02-01&subscriptionId=${unknown}`,
      `stats?subscriptionId=${unknown}`,
    ])
      expect((await api.get(`/api/v1/webhooks/${query}`)).status, query).to.equal(404);
  });

  it('figures outlive the purge, also of an hour in which a delivery is still to be sent', async () => {
    const { id } = await failed(1);
    receiver.answer(respondWith(200));
    await runtime.register('Grace', 'Edsger');
    await receiver.count(3);
    await runtime.dispatch.queues.quiet(1000);
    const before = (await api.get('/api/v1/webhooks/stats')).body;
    runtime.clock.advance(31 * 86_400);
    expect(await runtime.runJob('purge-deliveries')).to.deep.equal({ purged: 2 });
    expect((await api.get('/api/v1/webhooks/stats')).body).to.deep.equal(before);
    expect((await api.get(`/api/v1/webhooks/${id}/deliveries`)).body).to.include({ totalItems: 1 });
    await runtime.runJob('deliver-webhooks');
    runtime.clock.advance(86_400);
    expect(await runtime.runJob('purge-deliveries')).to.deep.equal({ purged: 1 });
    runtime.clock.advance(3600);
    await runtime.runJob('roll-up-deliveries');
    const after = (await api.get(`/api/v1/webhooks/stats?subscriptionId=${id}`)).body;
    expect(after).to.include({ totalDeliveries: 3, successfulDeliveries: 3, pendingDeliveries: 0 });
    expect((await api.get(`/api/v1/webhooks/${id}/deliveries`)).body).to.include({ totalItems: 0 });
  });

  it('what is old and done is purged, what is still to be sent stays', async () => {
    const { id } = await failed(1);
    receiver.answer(respondWith(200));
    await runtime.register('Grace');
    await receiver.count(2);
    await runtime.dispatch.queues.quiet(1000);
    runtime.clock.advance(30 * 86_400);
    expect(await runtime.runJob('purge-deliveries')).to.deep.equal({ purged: 0 });
    runtime.clock.advance(1);
    expect(await runtime.runJob('purge-deliveries')).to.deep.equal({ purged: 1 });
    expect((await runtime.deliveries(id)).map(({ status }) => status)).to.deep.equal(['Retrying']);
  });
});
