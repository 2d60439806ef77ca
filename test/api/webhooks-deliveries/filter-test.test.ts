import { expect } from 'chai';
import type { Api } from '#test/support/api.ts';
import { newId } from '#kernel/ids.ts';
import { openWebhooks, type WebhookRuntime } from '#test/support/open-webhooks.ts';
import { appendPlain } from '#test/support/plain-log.ts';
import { openWebhookApi } from '#test/support/webhook-api.ts';

// docs/rules/webhooks.md#trying-out
describe('POST /webhooks/filter-test', () => {
  let runtime: WebhookRuntime;
  let api: Api;
  beforeEach(async () => {
    runtime = await openWebhooks();
    api = await openWebhookApi(runtime);
  });
  afterEach(async () => {
    await api.close();
    await runtime.stop();
  });

  const ask = (more: object = {}) =>
    api.post('/api/v1/webhooks/filter-test', {
      topic: 'customer.created',
      filterExpression: "name startsWith 'A'",
      ...more,
    });
  const quiet = async (count: number): Promise<void> => {
    const events = Array.from({ length: 1000 }, () => ({ type: 'Unheard', data: {} }));
    for (let left = count; left > 0; left -= 1000)
      await appendPlain(runtime.stores.log, `basket-${newId()}`, events);
    await runtime.timesKnown();
  };

  it('says of the newest messages which come through, the newest first', async () => {
    const last = await runtime.register('Ada', 'Grace', 'Alan');
    const { status, body } = await ask();
    expect([status, body.items]).to.deep.equal([
      200,
      [
        { position: last, matches: true, error: null },
        { position: last - 1, matches: false, error: null },
        { position: last - 2, matches: true, error: null },
      ],
    ]);
    expect((await ask({ limit: 1 })).body.items).to.deep.equal([
      { position: last, matches: true, error: null },
    ]);
    expect((await ask({ topic: 'order.created' })).body.items).to.deep.equal([]);
  });

  it('finds those behind a stretch of the log that says nothing, and gives up after 20,000 events', async () => {
    const ada = await runtime.register('Ada');
    await quiet(5000);
    const found = { position: ada, matches: true, error: null };
    expect((await ask()).body).to.deep.equal({ items: [found], lookedThrough: ada + 5000, hasMore: false });
    await quiet(20_000);
    const { items, lookedThrough, hasMore } = (await ask()).body;
    expect([items, hasMore]).to.deep.equal([[], true]);
    expect(lookedThrough).to.be.within(20_000, 25_000);
  });

  it('refuses what is no filter, no topic or no limit, by field', async () => {
    for (const [given, field] of [
      [{ filterExpression: 'name ==' }, 'filterExpression'],
      [{ filterExpression: undefined }, 'filterExpression'],
      [{ filterExpression: 'a'.repeat(2001) }, 'filterExpression'],
      [{ topic: 'customer.born' }, 'topic'],
      [{ limit: 0 }, 'limit'],
      [{ limit: 201 }, 'limit'],
      [{ limit: '5' }, 'limit'],
    ] as const) {
      const { status, text } = await ask(given);
      expect([status, text.includes(`${field}: `)], text).to.deep.equal([400, true]);
    }
  });
});
