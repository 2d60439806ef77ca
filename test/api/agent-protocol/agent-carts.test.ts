import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import { datedVersions, schemaProblems, type DatedVersion } from '#test/support/agents/answer-schemas.ts';
import { agentAt, cartsPath as carts, sessionsPath, wanting } from '#test/support/agents/asking-agent.ts';
import { cartProblems, checkoutProblems } from '#test/support/agents/checkout-problems.ts';
import type { ApiResponse, Browser } from '#test/support/browser.ts';
import { faultyEventStore, killBefore, type FaultyEventStore } from '#test/support/faults.ts';
import { manage } from '#test/support/requests.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop } from '#test/support/shop.ts';

const current = '2026-04-08';
const older = '2026-01-11';
const LARGEST_BODY = 262_144;

const lines = (...wanted: readonly (readonly [string, number])[]) => ({
  line_items: wanting(...wanted),
});
const quantities = ({ body }: ApiResponse): readonly (readonly [string, number])[] =>
  body.line_items.map((line: { item: { id: string }; quantity: number }) => [line.item.id, line.quantity]);

// docs/rules/agent-carts.md
describe('Carts of agents over HTTP', () => {
  let shop: TestShop;
  let log: FaultyEventStore;
  let agent: Browser;
  const agentOf = (version: DatedVersion, name = 'agent'): Browser => agentAt(shop.base, { name, version });
  before(async () => {
    shop = await TestShop.open({ wrapStore: (store) => (log = faultyEventStore(store)) });
    agent = agentOf(current);
    await shop.sell('mug', { price: 10, stock: 5 });
    await shop.sell('jar', { price: 7 });
    await shop.sell('last', { price: 3, stock: 0 });
    await shop.discount('TEN', 10);
    const rates = { configuration: { rates: { KWD: 0.39 } } };
    await shop.admin.ask(manage.put('/exchange-rate-providers/manual/settings', rates));
    await shop.settle();
  });
  after(() => shop.close());

  const cancel = (path: string, by = agent) => by.ask({ method: 'POST', path: `${path}/cancel` });
  const begin = async (...wanted: readonly (readonly [string, number])[]): Promise<string> =>
    `${carts}/${(await agent.post(carts, lines(...wanted))).body.id}`;
  const checkOut = (cart: string, headers?: Record<string, string>) =>
    agent.post(sessionsPath, { cart_id: cart.slice(carts.length + 1) }, headers);
  const gone = async (path: string, by = agent): Promise<void> => {
    for (const asked of [await by.get(path), await by.put(path, lines(['jar', 1])), await cancel(path, by)])
      expect(asked.status).to.equal(404);
  };

  /** Dies as it writes into a stream of that category. */
  const killed = async (category: string, ask: () => Promise<ApiResponse>): Promise<void> => {
    killBefore(log, (stream) => stream.startsWith(`${category}-`));
    agent.expectsDefects = true;
    expect((await ask()).status).to.equal(500);
    agent.expectsDefects = false;
  };

  for (const version of datedVersions)
    it(`begin, are read, replaced as a whole and given up, in ${version}`, async () => {
      const by = agentOf(version);
      const begun = await by.post(carts, {
        ...lines(['mug', 1], ['mug', 2]),
        buyer: { first_name: 'Ada', email: 'ada@example.com' },
        discounts: { codes: ['ten', 'nope'] },
        context: { address_country: 'GB' },
      });
      expect(begun.status).to.equal(201);
      expect(cartProblems(begun.body)).to.deep.equal([]);
      expect(begun.body).to.deep.include({ cart_status: 'active', currency: 'GBP' });
      expect(begun.body.buyer).to.include({ first_name: 'Ada', email: 'ada@example.com' });
      expect(begun.body.discounts.codes).to.deep.equal(['ten', 'nope']);
      const total = begun.body.totals.at(-1);
      expect(total).to.deep.equal({ type: 'total', amount: 3240 });
      expect(begun.body.messages.map(({ code }: { code: string }) => code)).to.deep.equal([
        'discount_code_invalid',
      ]);
      const path = `${carts}/${begun.body.id}`;
      const read = await by.get(path);
      expect(read.body).to.deep.equal(begun.body);
      const replaced = await by.put(path, lines(['jar', 1], ['mug', 2]));
      expect(cartProblems(replaced.body)).to.deep.equal([]);
      expect(replaced.body).not.to.have.any.keys('buyer', 'context', 'discounts');
      expect(quantities(replaced)).to.deep.equal([
        ['jar', 1],
        ['mug', 2],
      ]);
      const cancelled = await cancel(path, by);
      expect(cancelled.status).to.equal(200);
      expect(cartProblems(cancelled.body)).to.deep.equal([]);
      expect(cancelled.body).to.deep.include({
        cart_status: 'cancelled',
        line_items: replaced.body.line_items,
        totals: replaced.body.totals,
      });
      await gone(path, by);
    });

  it('hold what can be sold, and say of each other line why not', async () => {
    const some = await agent.post(carts, lines(['last', 1], ['jar', 2], ['nothing', 1]));
    expect(some.status).to.equal(201);
    expect(cartProblems(some.body)).to.deep.equal([]);
    expect(quantities(some)).to.deep.equal([['jar', 2]]);
    const told = some.body.messages.map(({ code, path }: { code: string; path: string }) => [code, path]);
    expect(told).to.deep.equal([
      ['out_of_stock', '$.line_items[0]'],
      ['item_unavailable', '$.line_items[2]'],
    ]);
    const none = await agent.post(carts, lines(['mug', 6]));
    expect([none.status, none.body.ucp.status]).to.deep.equal([200, 'error']);
    expect(none.body.messages[0].content).to.match(/^Insufficient stock/);
    const inOlder = await agentOf(older).post(carts, lines(['jar', 1], ['nothing', 1]));
    expect(inOlder.status).to.equal(400);
    expect(inOlder.body.detail).to.include('not found');
    const tooMany = await agentOf(older).post(carts, lines(['mug', 6]));
    expect([tooMany.status, tooMany.body.code]).to.deep.equal([400, 'out_of_stock']);
    expect(tooMany.body.detail).to.match(/^Insufficient stock/);
    const path = await begin(['jar', 1]);
    const replaced = await agentOf(older).put(path, lines(['mug', 6]));
    expect([replaced.status, replaced.body.code]).to.deep.equal([400, 'out_of_stock']);
    expect(replaced.body.detail).to.match(/^Insufficient stock/);
    expect(quantities(await agent.get(path))).to.deep.equal([['jar', 1]]);
    const empty = await agent.post(carts, { line_items: [] });
    expect(empty.status).to.equal(400);
    expect(schemaProblems('error', current, empty.body)).to.deep.equal([]);
  });

  it('and their baskets are brought together by whoever looks next, when a kill came between the two', async () => {
    const headers = { 'Idempotency-Key': newId() };
    const asked = { ...lines(['jar', 2]), discounts: { codes: ['TEN'] } };
    await killed('basket', () => agent.post(carts, asked, headers));
    const begun = await agent.post(carts, asked, headers);
    expect(begun.status).to.equal(201);
    const path = `${carts}/${begun.body.id}`;
    await killed('basket', () => agent.put(path, lines(['jar', 3])));
    const read = await agent.get(path);
    expect(quantities(read)).to.deep.equal([['jar', 3]]);
    expect(read.body.totals[0]).to.deep.equal({ type: 'subtotal', amount: 2100 });
  });

  for (const version of datedVersions) {
    it(`are shown to their agent only, in ${version}`, async () => {
      const path = await begin(['jar', 1]);
      await gone(path, agentOf(version, 'other'));
      await gone(`${carts}/no-guid`, agentOf(version));
      await gone(`${carts}/${newId()}`, agentOf(version));
      const [unknown, strange] = [
        await agentOf(version).get(`${carts}/${newId()}`),
        await agentOf(version, 'other').get(path),
      ];
      expect(schemaProblems('error', version, strange.body)).to.deep.equal([]);
      expect(strange.body, 'nothing tells them apart').to.deep.equal(unknown.body);
    });

    it(`keep within the limits of the shop, to the last line, code and byte, in ${version}`, async () => {
      const by = agentOf(version);
      const many = (number: number) => lines(...Array.from({ length: number }, () => ['jar', 1] as const));
      const codes = (number: number) => Array.from({ length: number }, (_, at) => `CODE-${at}`);
      const most = await by.post(carts, { ...many(200), discounts: { codes: codes(20) } });
      expect(most.status).to.equal(201);
      expect(most.body.line_items).to.have.length(200);
      expect(most.body.discounts.codes).to.have.length(20);
      const path = `${carts}/${most.body.id}`;
      const one = lines(['jar', 1]);
      for (const [body, place] of [
        [many(201), '$.line_items'],
        [{ ...one, discounts: { codes: codes(21) } }, '$.discounts.codes'],
        [lines(['jar', 10_000_000]), '$.line_items[0].quantity'],
        [lines(['jar', 0]), '$.line_items[0].quantity'],
      ] as const)
        for (const answer of [await by.post(carts, body), await by.put(path, body)]) {
          expect(answer.status, place).to.equal(400);
          expect(schemaProblems('error', version, answer.body)).to.deep.equal([]);
          expect(answer.body.messages[0]).to.include({ code: 'invalid', path: place });
        }
      const padded = (bytes: number): string => {
        const text = JSON.stringify({ ...one, signals: '' });
        return text.replace('"signals":""', `"signals":"${'x'.repeat(bytes - text.length)}"`);
      };
      expect((await by.post(carts, padded(LARGEST_BODY))).status).to.equal(201);
      const larger = await by.post(carts, padded(LARGEST_BODY + 1));
      expect([larger.status, larger.body.code]).to.deep.equal([413, 'payload_too_large']);
      expect((await by.get(path)).body.line_items).to.have.length(200);
    });

    it(`count thousandths of dinars, in ${version}`, async () => {
      const asked = { ...lines(['mug', 2]), currency: 'KWD' };
      const { status, body } = await agentOf(version).post(carts, asked);
      expect([status, body.currency, cartProblems(body)]).to.deep.equal([201, 'KWD', []]);
      // 20.00 × 0.39 = 7.800, and 20 % tax.
      expect(body.totals).to.deep.equal([
        { type: 'subtotal', amount: 7800 },
        { type: 'tax', amount: 1560 },
        { type: 'total', amount: 9360 },
      ]);
    });
  }

  it('last for a day after each change, and are over by the job, too', async () => {
    const [looked, left] = [await begin(['jar', 1]), await begin(['jar', 1])];
    await shop.tester.post('/testing/clock', { advanceSeconds: 86_400 });
    await gone(looked);
    await shop.settle();
    const { body } = await shop.tester.post('/testing/jobs/expire-agent-carts');
    expect(body.settled, 'those of the other tests, too').to.be.greaterThan(0);
    const stream = `agentCart-${left.slice(carts.length + 1)}`;
    const types = (await eventsIn(shop)).filter((event) => event.stream === stream).map(({ type }) => type);
    expect(types.at(-1)).to.equal('AgentCartExpired');
  });

  // docs/rules/agent-carts.md#checkout
  describe('that become a checkout', () => {
    it('give it their lines, buyer, context and codes, and are held by it', async () => {
      const begun = await agent.post(carts, {
        ...lines(['mug', 1]),
        buyer: { first_name: 'Ada', email: 'ada@example.com' },
        discounts: { codes: ['TEN'] },
      });
      const path = `${carts}/${begun.body.id}`;
      const asked = { ...lines(['jar', 9]), cart_id: begun.body.id, buyer: { first_name: 'Bob' } };
      const session = await agent.post(sessionsPath, asked);
      expect(session.status).to.equal(201);
      expect(checkoutProblems(session.body)).to.deep.equal([]);
      const { buyer, line_items, totals } = begun.body;
      expect(session.body).to.deep.include({ buyer, line_items, totals });
      expect((await agent.get(path)).body.cart_status).to.equal('converted');
      const refused = await agent.put(path, lines(['nothing', 1]));
      expect(refused.status).to.equal(409);
      expect(schemaProblems('error', current, refused.body)).to.deep.equal([]);
      expect(refused.body.messages[0]).to.include({ code: 'cart_not_modifiable' });
      expect(refused.body.messages[0].content).to.include(session.body.id);
      expect(refused.headers.get('Retry-After')).to.equal('1');
      const inOlder = await agentOf(older).put(path, lines(['jar', 1]));
      expect(inOlder.status).to.equal(409);
      expect(schemaProblems('error', older, inOlder.body)).to.deep.equal([]);
      expect(inOlder.body).to.include({ code: 'cart_not_modifiable', error: 'cart_not_modifiable' });
      expect(inOlder.body.detail).to.include(session.body.id);

      const again = await agent.post(sessionsPath, { cart_id: begun.body.id, line_items: [] });
      expect([again.status, again.body.id]).to.deep.equal([200, session.body.id]);
      await agent.put(`${sessionsPath}/${session.body.id}`, lines(['jar', 2]));
      expect(quantities(await agent.get(path))).to.deep.equal([['jar', 2]]);

      await cancel(`${sessionsPath}/${session.body.id}`);
      expect((await agent.get(path)).body.cart_status).to.equal('active');
      expect((await agent.put(path, lines(['jar', 1]))).status).to.equal(200);
      const next = await checkOut(path);
      expect(next.status).to.equal(201);
      expect(next.body.id).not.to.equal(session.body.id);
      expect((await cancel(path)).status).to.equal(200);
      await gone(path);
      expect((await agent.get(`${sessionsPath}/${next.body.id}`)).body.session_status).to.equal('active');
    });

    it('make one of two requests at once', async () => {
      const path = await begin(['jar', 1]);
      const both = await Promise.all([checkOut(path), checkOut(path)]);
      expect(both.map(({ status }) => status).toSorted()).to.deep.equal([200, 201]);
      expect(new Set(both.map(({ body }) => body.id)).size).to.equal(1);
    });

    it('are found by their agent only, and in the current version', async () => {
      const path = await begin(['jar', 1]);
      const cart_id = path.slice(carts.length + 1);
      expect((await agentOf(current, 'other').post(sessionsPath, { cart_id })).status).to.equal(404);
      for (const unknown of [newId(), 'no-guid']) {
        const refused = await agent.post(sessionsPath, { cart_id: unknown, line_items: [] });
        expect([refused.status, refused.body.messages[0].code]).to.deep.equal([404, 'not_found']);
      }
      expect((await agentOf(older).post(sessionsPath, { cart_id })).status).to.equal(400);
    });

    it('are finished by a repeat after a kill', async () => {
      const path = await begin(['jar', 4]);
      const headers = { 'Idempotency-Key': newId() };
      await killed('agentSession', () => checkOut(path, headers));
      const session = await checkOut(path, headers);
      expect(session.status).to.equal(201);
      expect(quantities(session)).to.deep.equal([['jar', 4]]);
      expect((await agent.get(path)).body.cart_status).to.equal('converted');
    });

    it('are the agent’s again after a kill, if it goes on with the cart instead', async () => {
      const path = await begin(['jar', 4]);
      const headers = { 'Idempotency-Key': newId() };
      await killed('agentSession', () => checkOut(path, headers));
      expect((await agent.put(path, lines(['jar', 5]))).status).to.equal(200);
      const session = await checkOut(path, headers);
      expect(session.status).to.equal(201);
      expect(quantities(session)).to.deep.equal([['jar', 5]]);
    });

    it('are held by a session whose maker was killed before it could say so', async () => {
      const path = await begin(['jar', 4]);
      const cart = `agentCart-${path.slice(carts.length + 1)}`;
      log.runBefore(
        'append',
        (stream) => stream.startsWith('agentSession-'),
        () => {
          killBefore(log, (stream) => stream === cart);
        },
      );
      agent.expectsDefects = true;
      expect((await checkOut(path)).status).to.equal(500);
      agent.expectsDefects = false;
      expect((await agent.put(path, lines(['jar', 1]))).status).to.equal(409);
      expect((await agent.get(path)).body.cart_status).to.equal('converted');
    });
  });
});
