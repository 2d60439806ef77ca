import { expect } from 'chai';
import { schemaProblems, type DatedVersion } from '#test/support/agents/answer-schemas.ts';
import { checkoutProblems } from '#test/support/agents/checkout-problems.ts';
import { Browser } from '#test/support/browser.ts';
import { TestShop } from '#test/support/shop.ts';

const sessions = '/api/v1/checkout-sessions';

const agentAt = (base: string, version: DatedVersion, name = 'agent'): Browser =>
  new Browser(base, {
    'UCP-Agent': `profile="${base}/.well-known/ucp-test-agent/${name}", version="${version}"`,
  });

// docs/rules/agent-sessions.md
describe('Checkout sessions over HTTP', () => {
  let shop: TestShop;
  let agent: Browser;
  before(async () => {
    shop = await TestShop.open();
    agent = agentAt(shop.base, '2026-04-08');
    await shop.sell('mug', { price: 10, stock: 5 });
    await shop.sell('jar', { price: 7 });
  });
  after(() => shop.close());

  const lines = (...wanted: readonly (readonly [string, number])[]) =>
    wanted.map(([id, quantity]) => ({ item: { id }, quantity }));
  const checked = (body: unknown): void => {
    expect(checkoutProblems(body)).to.deep.equal([]);
  };

  it('begin, are read, change and are given up', async () => {
    const begun = await agent.post(sessions, {
      id: 'mine',
      status: 'completed',
      line_items: [{ id: 'x', item: { id: 'mug', title: 'Gold', price: 1 }, quantity: 2 }],
      buyer: { full_name: 'Ada Lovelace', email: 'ada@example.com', consent: { marketing: false } },
    });
    expect(begun.status).to.equal(201);
    checked(begun.body);
    expect(begun.body).to.deep.include({
      status: 'incomplete',
      session_status: 'active',
      currency: 'GBP',
      buyer: {
        first_name: 'Ada',
        last_name: 'Lovelace',
        email: 'ada@example.com',
        consent: { marketing: false },
      },
      totals: [
        { type: 'subtotal', amount: 2000 },
        { type: 'tax', amount: 400 },
        { type: 'total', amount: 2400 },
      ],
    });
    expect(begun.body.line_items[0].item).to.include({ id: 'mug', title: 'Product mug', price: 1000 });
    const path = `${sessions}/${begun.body.id}`;
    expect((await agent.get(path)).body).to.deep.include({ line_items: begun.body.line_items });
    const changed = await agent.put(path, { line_items: lines(['jar', 1], ['mug', 2]) });
    checked(changed.body);
    expect(changed.body.line_items[1].id).to.equal(begun.body.line_items[0].id);
    expect(changed.body.buyer).to.deep.equal(begun.body.buyer);
    const cancelled = await agent.ask({ method: 'POST', path: `${path}/cancel` });
    checked(cancelled.body);
    expect(cancelled.body).to.include({ status: 'canceled', session_status: 'cancelled' });
    expect(cancelled.body).not.to.have.property('continue_url');
    for (const asked of [
      await agent.put(path, { buyer: null }),
      await agent.ask({ method: 'POST', path: `${path}/cancel` }),
    ]) {
      expect(asked.status).to.equal(409);
      expect(asked.headers.get('Retry-After')).to.equal('1');
      expect(schemaProblems('error', '2026-04-08', asked.body)).to.deep.equal([]);
    }
    expect((await agent.get(path)).status).to.equal(200);
  });
});
