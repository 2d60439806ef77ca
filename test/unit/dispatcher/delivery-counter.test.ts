import { expect } from 'chai';
import { deliveriesCollection, counterCollection } from '#topics/webhook-delivery.ts';
import { counterRunsCollection } from '#dispatcher/contexts/webhooks/delivery-rows.ts';
import type { Sender } from '#ports/sender.ts';
import type { DocumentStore, Filter, Patch } from '#ports/document-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import {
  memoryStores,
  movableClock,
  openWebhooks,
  type WebhookRuntime,
  type WebhookRuntimeOptions,
  type WebhookStores,
} from '#test/support/open-webhooks.ts';

/**
 * What becomes of changes of counters: they are made, they fail, or they are made and nobody hears of it. The last one
 * is about the outcomes of deliveries.
 */
type Fate = 'works' | 'fails' | 'answer lost' | "delivery's answer lost";

const withFate = (stateStore: DocumentStore, fate: () => Fate): DocumentStore =>
  new Proxy(stateStore, {
    get: (store, name: keyof DocumentStore) => {
      const member = store[name];
      if (typeof member !== 'function') return member;
      const method = member.bind(store) as (...given: unknown[]) => Promise<unknown>;
      if (name !== 'updateIf') return method;
      return async (collection: string, filter: Filter, patch: Patch): Promise<unknown> => {
        const isOurs = collection === counterCollection;
        if (isOurs && fate() === 'fails') throw new EngineUnavailable('the state store is away');
        const answer = await method(collection, filter, patch);
        const isOutcome = collection === deliveriesCollection && patch.set?.['countedIn'] !== undefined;
        if (isOutcome && fate() === "delivery's answer lost")
          throw new EngineUnavailable('the answer was lost');
        if (isOurs && fate() === 'answer lost') throw new EngineUnavailable('the answer was lost');
        return answer;
      };
    },
  });

/** Receivers of Ada get theirs, the others answer 500. */
const sender: Sender = {
  send: ({ body }) =>
    Promise.resolve({
      statusCode: String(body).includes('Ada') ? 200 : 500,
      headers: {},
      body: '',
      durationMs: 1,
      error: null,
    }),
  close: () => undefined,
};

describe('how often deliveries succeeded and failed', () => {
  const runtimes: WebhookRuntime[] = [];
  let stores: WebhookStores;
  const clock = movableClock();
  const open = async (fate: () => Fate, more: WebhookRuntimeOptions = {}): Promise<WebhookRuntime> => {
    const stateStore = withFate(stores.stateStore, fate);
    const runtime = await openWebhooks({ stores: { ...stores, stateStore }, clock, sender, ...more });
    runtimes.push(runtime);
    return runtime;
  };
  const stop = async (runtime: WebhookRuntime): Promise<void> => {
    runtimes.splice(runtimes.indexOf(runtime), 1);
    await runtime.stop();
  };
  beforeEach(() => {
    stores = memoryStores();
  });
  afterEach(async () => {
    for (const runtime of runtimes.splice(0)) await runtime.stop();
  });

  it('is counted once the state store is back', async () => {
    let fate: Fate = 'fails';
    const runtime = await open(() => fate);
    const id = await runtime.subscribe('http://127.0.0.1:9/hook');
    await runtime.register('Ada', 'Grace');
    await runtime.settle();
    expect(await runtime.counters(id)).to.equal(null);
    await runtime.register('Ada');
    await runtime.settle();
    fate = 'works';
    await runtime.dispatch.counter.settled();
    expect(await runtime.counters(id)).to.include({ successCount: 2, failureCount: 1 });
  });

  it('is counted once when the response of the state store is lost', async () => {
    let fate: Fate = 'answer lost';
    const runtime = await open(() => fate);
    const id = await runtime.subscribe('http://127.0.0.1:9/hook');
    await runtime.register('Ada', 'Grace');
    await runtime.settle();
    fate = 'works';
    await runtime.register('Ada');
    await runtime.settle();
    expect(await runtime.counters(id)).to.include({ successCount: 2, failureCount: 1 });
  });

  it('is counted when the response about a recorded outcome is lost', async () => {
    let lost = 2;
    const runtime = await open(() => (lost-- > 0 ? "delivery's answer lost" : 'works'));
    const id = await runtime.subscribe('http://127.0.0.1:9/hook');
    await runtime.register('Ada', 'Grace');
    await runtime.settle();
    await runtime.register('Ada');
    await runtime.settle();
    expect(await runtime.counters(id)).to.include({ successCount: 2, failureCount: 1 });
  });

  it('is counted once from the rows after a process ended before it counted', async () => {
    let fate: Fate = 'works';
    const killed = await open(() => fate);
    const id = await killed.subscribe('http://127.0.0.1:9/hook');
    await killed.register('Ada', 'Grace');
    await killed.settle();
    fate = 'fails';
    await killed.register('Ada', 'Ada', 'Grace');
    await killed.settle();
    expect(await killed.counters(id)).to.include({ successCount: 1, failureCount: 1 });
    await stop(killed);
    clock.advance(1);

    const second = await open(() => 'works');
    await second.runJob('deliver-webhooks');
    expect(await second.counters(id)).to.include({ successCount: 3, failureCount: 2 });
    await second.register('Ada');
    await second.settle();
    await stop(second);
    const third = await open(() => 'works');
    await third.runJob('deliver-webhooks');
    const counters = await third.counters(id);
    expect(counters).to.include({ successCount: 4, failureCount: 2, lastErrorMessage: null });
    const runs = await stores.stateStore.find(counterRunsCollection);
    expect(runs, 'the present one').to.have.length(1);
    await third.settle();
    await stop(third);
    expect(await stores.stateStore.find(counterRunsCollection)).to.deep.equal([]);
    expect(
      await stores.stateStore.find('leases', { filter: { _id: { gt: 'webhook tallies', lt: 'webhook-' } } }),
    ).to.deep.equal([]);
  });

  it('is counted from the remaining rows after a purge, on top of earlier counts', async () => {
    let fate: Fate = 'works';
    const killed = await open(() => fate);
    const id = await killed.subscribe('http://127.0.0.1:9/hook');
    await killed.register('Ada', 'Ada');
    await killed.settle();
    clock.advance(31 * 86_400);
    expect(await killed.runJob('purge-deliveries')).to.deep.equal({ purged: 2 });
    fate = 'fails';
    await killed.register('Ada');
    await killed.settle();
    await stop(killed);
    const next = await open(() => 'works');
    await next.runJob('deliver-webhooks');
    expect(await next.counters(id)).to.include({ successCount: 3, failureCount: 0 });
  });

  it('is counted by another replica after one was killed, and never for a live one', async () => {
    const killed = await open(() => 'fails', { isOnlyWriter: false });
    const id = await killed.subscribe('http://127.0.0.1:9/hook');
    await killed.register('Ada', 'Grace');
    await killed.settle();
    const other = await open(() => 'works', { isOnlyWriter: false });
    await other.runJob('deliver-webhooks');
    expect(await other.counters(id), 'it may still count them itself').to.equal(null);
    await stop(killed);
    await other.runJob('deliver-webhooks');
    expect(await other.counters(id)).to.include({ successCount: 1, failureCount: 1 });
  });
});
