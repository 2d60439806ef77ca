import { expect } from 'chai';
import { isoInstant } from '#kernel/clock.ts';
import { newId } from '#kernel/ids.ts';
import { attemptsOf } from '#topics/past-attempts.ts';
import { deliveriesCollection } from '#topics/webhook-delivery.ts';
import type { Api } from '#test/support/api.ts';
import { at, openWebhooks, registered, type WebhookRuntime } from '#test/support/open-webhooks.ts';
import { appendPlain } from '#test/support/plain-log.ts';
import { deliveryIdOf, respondWith, startReceiver, type Receiver } from '#test/support/subscriber.ts';
import { openWebhookApi } from '#test/support/webhook-api.ts';

type Json = Readonly<Record<string, unknown>>;

// docs/rules/webhooks.md#replays
describe('POST /webhooks/{id}/replay', () => {
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

  const path = (id: string): string => `/api/v1/webhooks/${id}/replay`;
  /** As somebody who has just subscribed. */
  const start = async (id: string, wish: Json) => {
    const position = String(await runtime.stores.log.head());
    return api.post(path(id), { from: at, ...wish }, { 'Tillroll-Position': position });
  };
  const replayed = async (id: string, wish: Json): Promise<Json> => {
    const { status, body } = await start(id, wish);
    expect(status, JSON.stringify(body)).to.equal(202);
    expect(await runtime.settle(), 'settled').to.equal(true);
    return (await api.get(`${path(id)}s/${String(body.id)}`)).body;
  };
  const namesOf = (received: Receiver['received']) =>
    received.map(({ body }) => (JSON.parse(String(body)) as { data: { name: string } }).data.name);

  /** Has all attempts of a schedule fail. */
  const giveUp = async (): Promise<void> => {
    for (const delay of [60, 300, 900, 3600]) {
      runtime.clock.advance(delay);
      await runtime.runJob('deliver-webhooks');
    }
  };
  const subscribeAndFail = async (name: string): Promise<string> => {
    receiver.answer(respondWith(500));
    const id = await runtime.subscribe(receiver.url);
    await runtime.register(name);
    await runtime.settle();
    await giveUp();
    expect((await runtime.deliveries(id)).map(({ status }) => status)).to.deep.equal(['Abandoned']);
    return id;
  };

  it('sends what was given up again, with its id and bytes, and counts its attempts on', async () => {
    const id = await subscribeAndFail('Ada');
    receiver.answer(respondWith(200));
    await runtime.register('Grace');
    await runtime.settle();
    const before = receiver.received.length;
    const told = await replayed(id, { include: 'failed' });
    expect(told).to.include({
      status: 'Completed',
      queued: 1,
      skipped: 0,
      waiting: 0,
      percent: 100,
      message: null,
    });
    const [first, again, ...others] = [receiver.received[0], ...receiver.received.slice(before)];
    expect(others).to.deep.equal([]);
    expect(again?.body).to.deep.equal(first?.body);
    expect(again && deliveryIdOf(again)).to.equal(first && deliveryIdOf(first));
    const row = (await runtime.deliveries(id)).find(({ _id }) => again && _id === deliveryIdOf(again));
    expect(row).to.include({ status: 'Succeeded', attemptNumber: 6 });
  });

  it('gives what it sends a whole schedule of its own', async () => {
    const id = await subscribeAndFail('Ada');
    await replayed(id, { include: 'failed' });
    const rows = () => runtime.deliveries(id);
    expect((await rows())[0]).to.include({
      status: 'Retrying',
      attemptNumber: 6,
      nextRetryUtc: isoInstant(runtime.clock.now() + 60_000),
    });
    await giveUp();
    expect((await rows())[0]).to.include({ status: 'Abandoned', attemptNumber: 10 });
  });

  it('makes what never had a delivery: from before the subscription, from while it was inactive, and what was purged', async () => {
    await runtime.register('before');
    const id = await runtime.subscribe(receiver.url, { filterExpression: "name != 'unwanted'" });
    await runtime.register('told', 'purged', 'unwanted');
    await runtime.settle();
    const purged = (await runtime.deliveries(id)).find(({ requestBody }) => requestBody.includes('purged'));
    await runtime.stores.stateStore.deleteMany(deliveriesCollection, { _id: purged?._id ?? '' }, 1);
    const told = await replayed(id, { include: 'missing' });
    expect(told).to.include({ status: 'Completed', queued: 2 });
    expect(namesOf(receiver.received.slice(2))).to.deep.equal(['before', 'purged']);
    expect(new Set(receiver.received.map(deliveryIdOf))).to.have.property('size', 3);
    runtime.clock.advance(1);
    const second = await replayed(id, { include: 'missing' });
    expect(second).to.include({ queued: 0 });
    const list = `${path(id)}s`;
    expect((await api.get(list)).body, 'newest first').to.deep.include({
      items: [second, told],
      totalItems: 2,
    });
    const { items, hasNextPage } = (await api.get(`${list}?page=2&pageSize=1`)).body;
    expect([items, hasNextPage]).to.deep.equal([[told], false]);
    expect((await api.get(`${path(newId())}s`)).status).to.equal(404);
  });

  it('sends all again where that is wished, what arrived too', async () => {
    await runtime.register('before');
    const id = await runtime.subscribe(receiver.url);
    await runtime.register('told');
    await runtime.settle();
    expect(await replayed(id, { include: 'all' })).to.include({ queued: 2 });
    expect(namesOf(receiver.received)).to.deep.equal(['told', 'before', 'told']);
    const [first, , again] = receiver.received;
    expect(again?.body).to.deep.equal(first?.body);
    expect((await runtime.deliveries(id)).map(({ attemptNumber }) => attemptNumber).toSorted()).to.deep.equal(
      [1, 2],
    );
    const numbers = (await runtime.deliveries(id)).map((row) =>
      attemptsOf(row).map(({ attemptNumber, responseStatusCode }) => [attemptNumber, responseStatusCode]),
    );
    expect(numbers, 'the attempt that had arrived is told, too').to.deep.include([
      [2, 200],
      [1, 200],
    ]);
  });

  it('means by from and to when the events were recorded, both included', async () => {
    const start = Date.parse(at);
    for (const minute of [0, 1, 2, 3, 4]) {
      const recordedAt = isoInstant(start + minute * 60_000);
      const event = { ...registered(String(minute)), recordedAt };
      await appendPlain(runtime.stores.log, `customer-${newId()}`, [event]);
    }
    const id = await runtime.subscribe(receiver.url);
    runtime.clock.advance(3600);
    const [from, to] = [isoInstant(start + 60_000), isoInstant(start + 180_000)];
    expect(await replayed(id, { from, to, include: 'missing' })).to.include({ from, to, queued: 3 });
    expect(namesOf(receiver.received)).to.deep.equal(['1', '2', '3']);
  });

  it('lets new events go first', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `old ${index}`);
    await runtime.register(...names);
    const id = await runtime.subscribe(receiver.url, { maxConcurrent: 1 });
    await runtime.settle();
    const held: (() => void)[] = [];
    receiver.answer((response) => void held.push(() => response.end('ok')));
    expect((await start(id, { include: 'missing' })).status).to.equal(202);
    await receiver.count(1);
    await runtime.register('new');
    await runtime.dispatch.follower.waitFor(await runtime.stores.log.head(), 5000);
    receiver.answer(respondWith(200));
    for (const release of held) release();
    await receiver.count(4);
    expect(namesOf(receiver.received).slice(0, 4)).to.include('new');
    await runtime.settle();
    expect(namesOf(receiver.received).filter((name) => name !== 'new')).to.deep.equal(names);
  });

  it('is called off: what has not been sent yet is as it was before', async () => {
    await runtime.register('before', 'and before');
    const id = await subscribeAndFail('given up');
    const [abandoned] = await runtime.deliveries(id);
    await runtime.change(id, { maxConcurrent: 1 });
    const held: (() => void)[] = [];
    receiver.answer((response) => void held.push(() => response.end('ok')));
    const { body } = await start(id, { include: 'all' });
    await receiver.count(6);
    const one = `${path(id)}s/${String(body.id)}`;
    expect((await api.delete(one)).body).to.include({ status: 'Cancelling' });
    for (const release of held) release();
    await runtime.settle();
    const whose = { askedBy: 'api-key', calledOffBy: 'api-key' };
    expect((await api.get(one)).body).to.include({ status: 'Cancelled', waiting: 0, ...whose });
    const rows = await runtime.deliveries(id);
    expect(rows.map(({ status }) => status).toSorted()).to.deep.equal(['Abandoned', 'Succeeded']);
    const { replay: _, ...left } = { replay: null, ...rows.find(({ status }) => status === 'Abandoned') };
    expect(left).to.deep.equal({ ...abandoned, attemptsBefore: 0 });
    expect((await api.delete(one)).body).to.include({ status: 'Cancelled' });
    receiver.answer(respondWith(200));
    expect(await replayed(id, { include: 'all' })).to.include({ status: 'Completed', queued: 3 });
  });

  it('leaves what has been tried to its schedule when it is called off', async () => {
    const { stateStore } = runtime.stores;
    await runtime.register('one', 'two', 'three');
    const id = await runtime.subscribe(receiver.url, { maxConcurrent: 1 });
    await runtime.settle();
    const held: (() => void)[] = [];
    receiver.answer((response) => void held.push(() => response.end('ok')));
    const { body } = await start(id, { include: 'missing' });
    await receiver.count(1);
    const row = (await runtime.deliveries(id)).find(({ requestBody }) => requestBody.includes('two'));
    // As after an attempt whose dispatcher was killed.
    const when = { _id: row?._id ?? '', status: 'Pending' };
    await stateStore.updateIf(deliveriesCollection, when, { set: { attemptNumber: 1 } });
    await api.delete(`${path(id)}s/${String(body.id)}`);
    expect(await runtime.runner.idle(5000), 'called off').to.equal(true);
    receiver.answer(respondWith(200));
    for (const release of held) release();
    await receiver.count(2);
    await runtime.settle();
    expect((await runtime.deliveries(id)).map(({ attemptNumber }) => attemptNumber).toSorted()).to.deep.equal(
      [1, 2],
    );
    expect(namesOf(receiver.received)).to.deep.equal(['one', 'two']);
  });

  it('ends when its subscription is made inactive', async () => {
    await runtime.register('one', 'two', 'three');
    const id = await runtime.subscribe(receiver.url, { maxConcurrent: 1 });
    await runtime.settle();
    receiver.answer(() => undefined);
    const { body } = await start(id, { include: 'missing' });
    await receiver.count(1);
    await runtime.change(id, { isActive: false });
    await receiver.stop();
    await runtime.settle();
    const told = (await api.get(`${path(id)}s/${String(body.id)}`)).body;
    expect(told).to.include({ status: 'Cancelled', message: 'The subscription is inactive' });
    expect(await runtime.deliveries(id)).to.have.length(1);
  });

  it('takes the date of today for the day as far as it has come', async () => {
    await runtime.register('one');
    const id = await runtime.subscribe(receiver.url);
    await runtime.settle();
    runtime.clock.advance(60);
    const told = await replayed(id, { include: 'missing', from: '2026-03-01', to: '2026-03-01' });
    expect(told).to.include({ from: '2026-03-01T00:00:00.000Z', to: '2026-03-01T12:01:00.000Z', queued: 1 });
    expect(namesOf(receiver.received)).to.deep.equal(['one']);
  });

  it('is refused, by field, where its stretch of time cannot be', async () => {
    const id = await runtime.subscribe(receiver.url);
    await runtime.settle();
    for (const [wish, field] of [
      [{ include: 'some' }, 'include'],
      [{}, 'include'],
      [{ include: 'all', from: undefined }, 'from'],
      [{ include: 'all', from: 'yesterday' }, 'from'],
      [{ include: 'all', from: '2027-01-01T00:00:00Z' }, 'from'],
      [{ include: 'all', from: '2026-03-01T11:00:00Z', to: '2026-03-01T10:00:00Z' }, 'from'],
      [{ include: 'all', from: '2024-01-01T00:00:00Z' }, 'from'],
      [{ include: 'all', to: '2026-03-02' }, 'to'],
      [{ include: 'all', to: '9999-12-31T00:00:00Z' }, 'to'],
      [{ include: 'all', to: 'never' }, 'to'],
    ] as const) {
      const { status, text } = await start(id, wish);
      expect([status, text.includes(`${field}: `)], text).to.deep.equal([400, true]);
    }
    expect(await runtime.deliveries(id)).to.deep.equal([]);
  });

  it('is refused for what there is not, while another is under way, and while the subscription is inactive', async () => {
    const id = await runtime.subscribe(receiver.url);
    await runtime.register('Ada');
    await runtime.settle();
    expect((await start(newId(), { include: 'all' })).status).to.equal(404);
    const unknown = `${path(id)}s/${newId()}`;
    expect((await api.get(unknown)).status).to.equal(404);
    expect((await api.delete(unknown)).status).to.equal(404);
    receiver.answer(() => undefined);
    const [first, second] = await Promise.all([start(id, { include: 'all' }), start(id, { include: 'all' })]);
    expect([first.status, second.status].toSorted()).to.deep.equal([202, 409]);
    await receiver.stop();
    await runtime.settle();
    await runtime.change(id, { isActive: false });
    const refused = await start(id, { include: 'all' });
    expect([refused.status, refused.text.includes('inactive')], refused.text).to.deep.equal([400, true]);
  });
});
