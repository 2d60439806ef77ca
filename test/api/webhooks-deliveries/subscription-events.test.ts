import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import type { Api } from '#test/support/api.ts';
import { openWebhooks, type WebhookRuntime } from '#test/support/open-webhooks.ts';
import { appendPlain } from '#test/support/plain-log.ts';
import { startReceiver, type Receiver } from '#test/support/subscriber.ts';
import { openWebhookApi } from '#test/support/webhook-api.ts';

interface Item {
  readonly position: number;
  readonly envelope: { readonly id: string; readonly data: { readonly name: string } };
}

// docs/rules/webhooks.md#reconciling
describe('GET /webhooks/{id}/events', () => {
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

  const ask = async (id: string, query = '') => {
    const head = await runtime.stores.log.head();
    const { status, body } = await api.get(`/api/v1/webhooks/${id}/events${query}`, {
      'Tillroll-Position': String(head),
    });
    expect(status, JSON.stringify(body)).to.equal(200);
    return body as unknown as { items: Item[]; nextAfter: number; hasMore: boolean };
  };
  const names = (items: readonly Item[]) => items.map(({ envelope }) => envelope.data.name);

  it('lists what was delivered with the very body that arrived, and what was missed as it would have been', async () => {
    await runtime.register('before the subscription');
    const id = await runtime.subscribe(receiver.url);
    await runtime.register('told');
    await runtime.settle();
    const { items, hasMore } = await ask(id);
    expect(names(items)).to.deep.equal(['before the subscription', 'told']);
    expect(hasMore).to.equal(false);
    const [received] = receiver.received;
    expect(JSON.stringify(items[1]?.envelope)).to.equal(received?.body.toString());
  });

  it('leaves out what the filter keeps back, and other topics', async () => {
    const filterExpression = "name startsWith 'A'";
    const id = await runtime.subscribe(receiver.url, { filterExpression });
    const other = await runtime.subscribe(receiver.url, { topic: 'order.created' });
    await runtime.register('Ada', 'Grace', 'Alan');
    expect(names((await ask(id)).items)).to.deep.equal(['Ada', 'Alan']);
    expect((await ask(other)).items).to.deep.equal([]);
  });

  it('goes on after a position, without a gap or a repeat, until nothing is left', async () => {
    const id = await runtime.subscribe(receiver.url);
    await runtime.register('a', 'b', 'c', 'd', 'e');
    const seen: string[] = [];
    let [after, hasMore, pages] = [0, true, 0];
    while (hasMore) {
      const page = await ask(id, `?after=${after}&limit=2`);
      seen.push(...names(page.items));
      ({ nextAfter: after, hasMore } = page);
      expect(++pages, 'pages').to.be.below(10);
    }
    expect(seen).to.deep.equal(['a', 'b', 'c', 'd', 'e']);
    await runtime.register('f');
    expect(names((await ask(id, `?after=${after}`)).items)).to.deep.equal(['f']);
  });

  it('says how far it has come where a stretch of the log says nothing', async () => {
    const id = await runtime.subscribe(receiver.url);
    const quiet = Array.from({ length: 1000 }, () => ({ type: 'Unheard', data: {} }));
    for (let count = 0; count < 11; count++)
      await appendPlain(runtime.stores.log, `basket-${newId()}`, quiet);
    const last = await runtime.register('Ada');
    const first = await ask(id);
    expect(first).to.deep.equal({ items: [], nextAfter: 10_000, hasMore: true });
    const second = await ask(id, `?after=${first.nextAfter}`);
    expect([names(second.items), second.nextAfter, second.hasMore]).to.deep.equal([['Ada'], last, false]);
  });

  it('refuses limits and positions that cannot be, and knows no other subscription', async () => {
    const id = await runtime.subscribe(receiver.url);
    await runtime.settle();
    for (const [query, field] of [
      ['limit=0', 'limit'],
      ['limit=201', 'limit'],
      ['limit=many', 'limit'],
      ['after=-1', 'after'],
      ['after=1.5', 'after'],
      ['after=999', 'after'],
    ] as const) {
      const { status, text } = await api.get(`/api/v1/webhooks/${id}/events?${query}`);
      expect([status, text.includes(`${field}: must be`)], text).to.deep.equal([400, true]);
    }
    expect((await api.get(`/api/v1/webhooks/${newId()}/events`)).status).to.equal(404);
  });
});
