import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import { agentAt, sessionsPath, wanting } from '#test/support/agents/asking-agent.ts';
import { datedVersions, schemaProblems, type DatedVersion } from '#test/support/agents/answer-schemas.ts';
import { checkoutProblems } from '#test/support/agents/checkout-problems.ts';
import { Browser, type ApiResponse } from '#test/support/browser.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop } from '#test/support/shop.ts';

const LARGEST_BODY = 262_144;

// docs/rules/agent-sessions.md
describe('Checkout sessions that cannot be as they are asked for', () => {
  let shop: TestShop;
  let agent: Browser;
  let older: Browser;
  before(async () => {
    shop = await TestShop.open();
    agent = agentAt(shop.base, { version: '2026-04-08' });
    older = agentAt(shop.base, { version: '2026-01-11' });
    await shop.sell('mug', { price: 10, stock: 5 });
    await shop.sell('gone', { price: 10, stock: 0 });
    await shop.sell('jar', { price: 7 });
    await shop.sell('yacht', { price: 9_999_999 });
    const values = [{ name: 'Yes', priceAdjustment: 5 }];
    const engraving = { name: 'Engraving', isVariant: false, isRequired: true, values };
    await shop.sell('ring', { price: 50, options: [engraving] });
  });
  after(() => shop.close());

  const begin = (body: object, by = agent) => by.post(sessionsPath, body);
  const begun = async (by = agent): Promise<string> => {
    const { body } = await begin({ line_items: wanting(['mug', 1], ['jar', 1]) }, by);
    return `${sessionsPath}/${body.id}`;
  };
  const count = async (): Promise<number> => (await eventsIn(shop)).length;
  /** What is said of each member, in the form of a version. */
  const refusals = ({ body }: ApiResponse, version: DatedVersion = '2026-04-08'): readonly string[] => {
    expect(schemaProblems('error', version, body)).to.deep.equal([]);
    return (body.messages as { code: string; path: string }[]).map(({ code, path }) => `${code} ${path}`);
  };
  /** What people read first. */
  const textOf = ({ body }: ApiResponse): string => body.detail ?? body.messages[0].content;

  it('begin with the lines that can be sold, and say what is wrong with each of the others', async () => {
    const { status, body } = await begin({
      line_items: wanting(['nothing', 1], ['mug', 4], ['mug', 2], ['gone', 1], ['jar', 1]),
    });
    expect(status).to.equal(201);
    expect(checkoutProblems(body)).to.deep.equal([]);
    expect(body.status).to.equal('incomplete');
    expect(body.line_items.map((line: { quantity: number }) => line.quantity)).to.deep.equal([4, 1]);
    const errors = (body.messages as { type: string; code: string; content: string; path: string }[])
      .filter(({ type }) => type === 'error')
      .map(({ code, path, content }) => [code, path, content.slice(0, 18)]);
    expect(errors).to.deep.equal([
      ['item_unavailable', '$.line_items[0]', 'Product nothing wa'],
      ['out_of_stock', '$.line_items[2]', 'Insufficient stock'],
      ['out_of_stock', '$.line_items[3]', 'Insufficient stock'],
    ]);
  });

  it('leave to the buyer what is sold with a choice only that agents cannot make', async () => {
    const severity = 'requires_buyer_input';
    const partly = await begin({ line_items: wanting(['mug', 1], ['ring', 1]) });
    expect([partly.status, partly.body.status]).to.deep.equal([201, 'requires_escalation']);
    expect(checkoutProblems(partly.body)).to.deep.equal([]);
    const [told] = partly.body.messages;
    expect(told).to.include({ code: 'item_unavailable', path: '$.line_items[1]', severity });
    expect(told.content).to.include('Engraving');
    const alone = await begin({ line_items: wanting(['ring', 1]) });
    expect(refusals(alone)).to.deep.equal(['item_unavailable $.line_items[0]']);
    expect(alone.body.messages[0]).to.include({ severity });
    expect(alone.body.continue_url).to.match(/^http/);
    const added = await agent.put(await begun(), { line_items: wanting(['mug', 1], ['ring', 1]) });
    expect([added.status, ...refusals(added)]).to.deep.equal([400, 'item_unavailable $.line_items[1]']);
    const refused = await begin({ line_items: wanting(['ring', 1]) }, older);
    expect(refused.status).to.equal(400);
    expect(refused.body.detail).to.include('Engraving');
    expect(refusals(refused, '2026-01-11')).to.have.lengthOf(1);
  });

  it('are not begun without any line that can be sold: an answer in one version, a refusal in the other', async () => {
    const before = await count();
    const cases = [
      [wanting(['nothing', 1], ['gone', 1]), 'item_unavailable', 'not found'],
      [wanting(['mug', 6]), 'out_of_stock', 'Insufficient stock'],
      [wanting(['mug', 10_001]), 'out_of_stock', 'Insufficient stock'],
    ] as const;
    for (const [lines, code, phrase] of cases) {
      const current = await begin({ line_items: lines });
      expect(current.status).to.equal(200);
      expect(refusals(current)[0]).to.equal(`${code} $.line_items[0]`);
      expect(current.body).to.have.all.keys('ucp', 'messages');
      const { status, body } = await begin({ line_items: lines }, older);
      expect(status).to.equal(400);
      expect(body).to.include({ code, error: code });
      expect(body.detail).to.include(phrase);
    }
    const partly = await begin({ line_items: wanting(['jar', 1], ['mug', 6]) }, older);
    expect(partly.status).to.equal(400);
    expect(partly.body.detail).to.match(/^Insufficient stock/);
    expect(await count(), 'nothing was recorded').to.equal(before);
  });

  for (const version of datedVersions)
    it(`stay as they are in ${version} when an update asks for what cannot be sold`, async () => {
      const by = agentAt(shop.base, { version });
      const path = await begun(by);
      const { body: before } = await by.get(path);
      const cases = [
        [{ line_items: wanting(['mug', 6]) }, 'out_of_stock $.line_items[0]', /^Insufficient stock/],
        [
          { line_items: wanting(['jar', 1], ['mug', 3], ['mug', 3]) },
          'out_of_stock $.line_items[2]',
          /^Insufficient stock/,
        ],
        [
          { line_items: wanting(['jar', 1], ['nothing', 1]), buyer: null },
          'item_unavailable $.line_items[1]',
          /not found/,
        ],
      ] as const;
      for (const [change, message, phrase] of cases) {
        const answer = await by.put(path, change);
        expect(answer.status).to.equal(400);
        expect(refusals(answer, version)).to.deep.equal([message]);
        expect(textOf(answer)).to.match(phrase);
      }
      expect((await by.get(path)).body).to.deep.equal(before);
    });

  for (const version of datedVersions)
    it(`keep within the limits of the shop in ${version}, to the last line, code, piece and byte`, async () => {
      const by = agentAt(shop.base, { version });
      const many = (number: number) => wanting(...Array.from({ length: number }, () => ['jar', 1] as const));
      const codes = (number: number) => ({ codes: Array.from({ length: number }, (_, at) => `CODE-${at}`) });
      const most = await begin({ line_items: many(200), discounts: codes(20) }, by);
      expect(most.status).to.equal(201);
      expect(checkoutProblems(most.body)).to.deep.equal([]);
      expect(most.body.line_items).to.have.length(200);
      const all = await begin({ line_items: wanting(['jar', 9_999_999]) }, by);
      expect(all.status).to.equal(201);

      const path = await begun(by);
      const refused = [
        [{ line_items: many(201) }, 'invalid $.line_items'],
        [{ line_items: wanting(['jar', 1]), discounts: codes(21) }, 'invalid $.discounts.codes'],
        [{ line_items: wanting(['jar', 10_000_000]) }, 'invalid $.line_items[0].quantity'],
        [{ line_items: wanting(['jar', 0]) }, 'invalid $.line_items[0].quantity'],
        [{ line_items: wanting(['jar', 1.5]) }, 'invalid $.line_items[0].quantity'],
        [{ line_items: [] }, 'invalid $.line_items'],
        [{ line_items: [{ item: {}, quantity: 1 }] }, 'missing $.line_items[0].item.id'],
        [{ line_items: wanting(['jar', 1]), buyer: { email: 'nobody' } }, 'invalid $.buyer.email'],
      ] as const;
      for (const [body, message] of refused)
        for (const answer of [await begin(body, by), await by.put(path, body)]) {
          expect(answer.status, message).to.equal(400);
          expect(refusals(answer, version)).to.deep.equal([message]);
        }
      expect(refusals(await begin({}, by), version)).to.deep.equal(['missing $.line_items']);
      expect(refusals(await by.put(path, { line_items: null }), version)).to.deep.equal([
        'invalid $.line_items',
      ]);

      const fleet = { line_items: wanting(['yacht', 9_999_999]) };
      for (const answer of [await begin(fleet, by), await by.put(path, fleet)]) {
        expect(answer.status).to.equal(400);
        expect(answer.body.messages[0]).to.include({ type: 'error', code: 'invalid' });
      }

      const padded = (bytes: number): string => {
        const empty = JSON.stringify({ line_items: wanting(['jar', 1]), signals: '' });
        return empty.replace('"signals":""', `"signals":"${'x'.repeat(bytes - empty.length)}"`);
      };
      expect((await begin(padded(LARGEST_BODY) as never, by)).status).to.equal(201);
      const larger = await begin(padded(LARGEST_BODY + 1) as never, by);
      expect(larger.status).to.equal(413);
      expect(larger.body).to.include({ code: 'payload_too_large', error: 'payload_too_large' });
      expect((await begin('{"line_items"' as never, by)).body.code).to.equal('invalid_json');
    });

  for (const version of datedVersions)
    it(`are shown, changed and paid by their agent alone, and there is nothing at a malformed id, in ${version}`, async () => {
      const by = agentAt(shop.base, { version });
      const path = await begun(by);
      const stranger = agentAt(shop.base, { name: 'other', version });
      const nobody = new Browser(shop.base);
      const bodies: unknown[] = [];
      for (const [asked, caller] of [
        [path, stranger],
        [`${sessionsPath}/${newId()}`, by],
        [`${sessionsPath}/not-a-guid`, by],
        [`${sessionsPath}/${'9'.repeat(300)}`, by],
      ] as const) {
        for (const answer of [
          await caller.get(asked),
          await caller.put(asked, { buyer: null }),
          await caller.ask({ method: 'POST', path: `${asked}/cancel` }),
          await caller.post(`${asked}/complete`, {}),
        ]) {
          expect(answer.status).to.equal(404);
          expect(refusals(answer, version)[0]).to.match(/^not_found/);
          bodies.push(answer.body);
        }
      }
      for (const body of bodies) expect(body, 'nothing tells them apart').to.deep.equal(bodies[0]);
      const anonymous = await nobody.get(path);
      expect([anonymous.status, anonymous.body.code]).to.deep.equal([400, 'invalid_profile_url']);
      expect((await by.get(path)).body.session_status).to.equal('active');
    });

  for (const version of datedVersions)
    it(`are final once they are over: 409 in ${version}, whatever is asked, and still read`, async () => {
      const by = agentAt(shop.base, { version });
      const path = await begun();
      await by.ask({ method: 'POST', path: `${path}/cancel` });
      for (const answer of [
        await by.put(path, { buyer: null }),
        await by.put(path, { line_items: wanting(['mug', 6]) }),
        await by.ask({ method: 'POST', path: `${path}/cancel` }),
      ]) {
        expect(answer.status).to.equal(409);
        expect(answer.headers.get('Retry-After')).to.equal('1');
        const [first] = version === '2026-01-11' ? [answer.body] : answer.body.messages;
        expect(first.code).to.equal('checkout_not_modifiable');
      }
      expect((await by.get(path)).status).to.equal(200);
    });

  for (const version of datedVersions)
    it(`are answered alike in ${version} to a repeat, and another body under its key is refused`, async () => {
      const by = agentAt(shop.base, { name: `repeating-${version}`, version });
      const keyed = (key: string) => ({ 'Idempotency-Key': key });
      const body = { line_items: wanting(['mug', 1], ['jar', 1]) };
      const first = await by.call('POST', sessionsPath, body, keyed('begin-001'));
      const again = await by.call('POST', sessionsPath, body, keyed('begin-001'));
      expect(again.status).to.equal(201);
      expect(again.text).to.equal(first.text);
      expect(again.headers.get('Idempotency-Replayed')).to.equal('true');
      const other = await by.call(
        'POST',
        sessionsPath,
        { line_items: wanting(['jar', 1]) },
        keyed('begin-001'),
      );
      expect(other.status).to.equal(409);
      expect(other.body).to.include({ code: 'idempotency_conflict', error: 'idempotency_conflict' });
      for (const key of ['short', 'x'.repeat(256)]) {
        const refused = await by.call('POST', sessionsPath, body, keyed(key));
        expect(refused.status).to.equal(400);
        expect(refusals(refused, version)[0]).to.match(/^invalid/);
      }

      const path = `${sessionsPath}/${first.body.id}`;
      const change = { line_items: wanting(['mug', 2]) };
      const changed = await by.call('PUT', path, change, keyed('change-01'));
      const cancelled = await by.call('POST', `${path}/cancel`, undefined, keyed('cancel-01'));
      const before = await count();
      expect((await by.call('PUT', path, change, keyed('change-01'))).text).to.equal(changed.text);
      const repeated = await by.call('POST', `${path}/cancel`, undefined, keyed('cancel-01'));
      expect([repeated.status, repeated.text]).to.deep.equal([200, cancelled.text]);
      const none = { line_items: wanting(['nothing', 1]) };
      const refused = await by.call('POST', sessionsPath, none, keyed('none-0001'));
      expect((await by.call('POST', sessionsPath, none, keyed('none-0001'))).text).to.equal(refused.text);
      expect(await count(), 'nothing happened twice').to.equal(before);
    });

  it('are refused in a version that the shop does not speak, whatever of an agent is asked for', async () => {
    const path = await begun();
    const future = new Browser(shop.base, {
      'UCP-Agent': `profile="${shop.base}/.well-known/ucp-test-agent/tester", version="2099-01-01"`,
    });
    const before = await count();
    const lines = { line_items: wanting(['mug', 1]) };
    const ids = [path, `/api/v1/carts/${newId()}`];
    for (const answer of [
      await future.post(sessionsPath, lines),
      await future.post('/api/v1/carts', lines),
      await future.get(`/api/v1/orders/${newId()}`),
      await future.post(`${path}/complete`, {}),
      ...(await Promise.all(
        ids.flatMap((one) => [
          future.get(one),
          future.put(one, lines),
          future.ask({ method: 'POST', path: `${one}/cancel` }),
        ]),
      )),
    ]) {
      expect(answer.status).to.equal(422);
      expect(answer.body).to.include({
        ...{ code: 'version_unsupported', error: 'version_unsupported' },
        continue_url: `${shop.base}/demo`,
      });
      expect(answer.body.content).to.include('2026-04-08').and.to.include('2026-01-11');
    }
    expect(await count(), 'nothing was recorded').to.equal(before);
  });

  it('take header fields that are no signatures for none', async () => {
    const body = { line_items: wanting(['jar', 1]) };
    for (const headers of [
      { Signature: 'sig1=:AAAA:' },
      { 'Signature-Input': 'sig1=("@method");created=1;keyid="k"' },
      { Signature: 'nonsense', 'Signature-Input': '(((' },
      { 'Request-Signature': 'one.two.three' },
      { 'Request-Signature': 'none' },
    ])
      expect((await agent.post(sessionsPath, body, headers)).status, JSON.stringify(headers)).to.equal(201);
  });

  it('expire for their agent: canceled, and final', async () => {
    const path = await begun();
    await shop.tester.post('/testing/clock', { advanceSeconds: 6 * 3600 });
    const refused = await agent.put(path, { buyer: null });
    expect(refused.status).to.equal(409);
    const { body } = await agent.get(path);
    expect(checkoutProblems(body)).to.deep.equal([]);
    expect(body).to.include({ status: 'canceled', session_status: 'expired' });
    await shop.tester.post('/testing/clock', { advanceSeconds: 30 * 86_400 });
    expect((await agent.get(path)).status).to.equal(404);
  });
});
