import { expect } from 'chai';
import { agentAt, sessionsPath, wanting } from '#test/support/agents/asking-agent.ts';
import { datedVersions } from '#test/support/agents/answer-schemas.ts';
import { checkoutProblems } from '#test/support/agents/checkout-problems.ts';
import { Browser, type ApiResponse } from '#test/support/browser.ts';
import { manage } from '#test/support/requests.ts';
import { TestShop } from '#test/support/shop.ts';

interface Message {
  readonly type: string;
  readonly code: string;
  readonly path?: string;
}

const messagesIn = ({ body }: ApiResponse): readonly string[] =>
  (body.messages as Message[]).map(({ type, code, path }) => `${type} ${code} ${path ?? ''}`.trim());

const amounts = (totals: readonly { readonly type: string; readonly amount: number }[]) =>
  Object.fromEntries(totals.map(({ type, amount }) => [type, amount]));

// docs/rules/agent-sessions.md
describe('Checkout sessions over HTTP', () => {
  let shop: TestShop;
  let agent: Browser;
  before(async () => {
    shop = await TestShop.open();
    agent = agentAt(shop.base, { version: '2026-04-08' });
    await shop.sell('mug', { price: 10, stock: 500 });
    await shop.sell('jar', { price: 7.77 });
    await shop.discount('TEN', 10);
    const offer = { method: 'Code', canCombineWithOrderDiscounts: true };
    await shop.rule('A tenth', { ...offer, code: 'TENTH', value: 10, priority: 1 });
    await shop.rule('A fifth', { ...offer, code: 'FIFTH', value: 20, priority: 2 });
    await shop.rule('Five pounds', { method: 'Code', code: 'FIVE', valueType: 'FixedAmount', value: 5 });
    await shop.admin.ask(
      manage.put('/exchange-rate-providers/manual/settings', {
        configuration: { rates: { JPY: 191.2, KWD: 0.3941 } },
      }),
    );
    await shop.settle();
  });
  after(() => shop.close());

  /** What was answered, once it is seen to be whole. */
  const whole = async (asked: Promise<ApiResponse>, status = 200): Promise<ApiResponse> => {
    const answer = await asked;
    expect(answer.status, answer.text).to.equal(status);
    expect(checkoutProblems(answer.body)).to.deep.equal([]);
    return answer;
  };
  const begin = (body: object, by = agent) => whole(by.post(sessionsPath, body), 201);
  const pathOf = ({ body }: ApiResponse): string => `${sessionsPath}/${body.id}`;

  for (const version of datedVersions)
    it(`begin, are read, change and are given up in ${version}`, async () => {
      const by = agentAt(shop.base, { version });
      const begun = await begin(
        {
          ...{ id: 'mine', status: 'completed', totals: [], links: [], ucp: {}, anything: { else: 1 } },
          line_items: [{ id: 'x', item: { id: 'mug', title: 'Gold', price: 1 }, quantity: 2 }],
        },
        by,
      );
      const { body } = begun;
      expect(body).to.include({ status: 'incomplete', session_status: 'active', currency: 'GBP' });
      expect(body.id).not.to.equal('mine');
      expect(body.line_items[0].id).not.to.equal('x');
      expect(body.line_items[0].item).to.include({ id: 'mug', title: 'Product mug', price: 1000 });
      expect(amounts(body.totals)).to.deep.equal({ subtotal: 2000, tax: 400, total: 2400 });
      expect(body.links).to.deep.equal([
        { type: 'terms_of_service', url: `${shop.base}/demo/terms` },
        { type: 'privacy_policy', url: `${shop.base}/demo/privacy` },
      ]);
      expect(body.continue_url).to.match(/\/demo\/continue\/[\w-]{43}$/);
      const path = pathOf(begun);
      const read = await whole(by.get(path));
      for (const member of ['line_items', 'totals', 'continue_url', 'expires_at'])
        expect(read.body[member], member).to.deep.equal(body[member]);

      const changed = await whole(by.put(path, { line_items: wanting(['jar', 1], ['mug', 2]) }));
      expect(changed.body.line_items[1].id).to.equal(body.line_items[0].id);
      const cancelled = await whole(by.ask({ method: 'POST', path: `${path}/cancel` }));
      expect(cancelled.body).to.include({ status: 'canceled', session_status: 'cancelled' });
      expect(cancelled.body).not.to.have.property('continue_url');
      await whole(by.get(path));
    });

  for (const version of datedVersions)
    it(`keep in ${version} what an update does not name, replace what it names, and forget what is null`, async () => {
      const by = agentAt(shop.base, { version });
      const buyer = { email: 'ada@example.com', loyalty: 'gold', consent: { marketing: false } };
      const begun = await begin(
        {
          line_items: wanting(['mug', 1]),
          buyer: { ...buyer, full_name: 'Ada Lovelace' },
          discounts: { codes: ['ten', 'NOPE'] },
          context: { eligibility: ['com.example.student', 'anything'] },
        },
        by,
      );
      const isOlder = version === '2026-01-11';
      const inOne = isOlder ? { full_name: 'Ada Lovelace' } : {};
      const named = { ...buyer, first_name: 'Ada', last_name: 'Lovelace', ...inOne };
      expect(begun.body.buyer).to.deep.equal(named);
      expect((await whole(by.get(pathOf(begun)))).body.buyer, 'consent is read again').to.deep.equal(named);
      expect(begun.body.discounts.codes).to.deep.equal(['ten', 'NOPE']);
      expect(begun.body.discounts.applied).to.have.length(1);
      expect(begun.body.discounts.applied[0]).to.include({ code: 'TEN', amount: 100, method: 'across' });
      expect(messagesIn(begun)).to.deep.equal([
        'warning discount_code_invalid $.discounts.codes[1]',
        'warning eligibility_not_accepted $.context.eligibility[0]',
        'warning eligibility_not_accepted $.context.eligibility[1]',
      ]);
      const path = pathOf(begun);
      const kept = await whole(by.put(path, { line_items: wanting(['mug', 2]) }));
      expect(kept.body.buyer).to.deep.equal(named);
      expect(amounts(kept.body.totals)).to.include({
        ...{ subtotal: 2000, discount: isOlder ? 200 : -200 },
      });
      const replaced = await whole(by.put(path, { buyer: { first_name: 'Grace' } }));
      expect(replaced.body.buyer).to.deep.equal({
        first_name: 'Grace',
        ...(isOlder && { full_name: 'Grace' }),
      });
      const cleared = await whole(by.put(path, { buyer: null, discounts: null, context: null }));
      expect(cleared.body).not.to.have.any.keys('buyer', 'discounts');
      expect(messagesIn(cleared)).to.deep.equal(['info missing $.buyer.email']);
      expect((await whole(by.get(path))).body.totals).to.deep.equal(cleared.body.totals);
    });

  for (const version of datedVersions)
    it(`take percentages off one after the other, and amounts as they are, in ${version}`, async () => {
      const by = agentAt(shop.base, { version });
      const off = (minor: number) => (version === '2026-01-11' ? minor : -minor);
      const lines = { line_items: wanting(['mug', 2]) };
      const both = await begin({ ...lines, discounts: { codes: ['fifth', 'TENTH'] } }, by);
      // 10 % of 20.00, then 20 % of 18.00; 20 % tax on 14.40.
      expect(amounts(both.body.totals)).to.deep.equal({
        ...{ subtotal: 2000, discount: off(560), tax: 288, total: 1728 },
      });
      expect(both.body.discounts.codes).to.deep.equal(['fifth', 'TENTH']);
      const applied = (both.body.discounts.applied as Record<string, unknown>[]).map(
        ({ code, amount, priority }) => [code, amount, priority],
      );
      expect(applied).to.deep.equal([
        ['TENTH', 200, 1],
        ['FIFTH', 360, 2],
      ]);
      const fixed = await whole(by.put(pathOf(both), { discounts: { codes: ['FIVE'] } }));
      expect(amounts(fixed.body.totals)).to.deep.equal({
        ...{ subtotal: 2000, discount: off(500), tax: 300, total: 1800 },
      });
      expect(fixed.body.discounts.applied).to.have.length(1);
      expect(fixed.body.discounts.applied[0]).to.include({ code: 'FIVE', amount: 500 });
    });

  for (const version of datedVersions)
    it(`take a whole answer of ${version} as an update that changes nothing`, async () => {
      const by = agentAt(shop.base, { version });
      const begun = await begin(
        {
          line_items: wanting(['mug', 1], ['mug', 2], ['jar', 1]),
          buyer: { first_name: 'Ada', consent: { analytics: true } },
          discounts: { codes: ['TEN'] },
          currency: 'JPY',
          payment: {
            instruments: [
              {
                ...{ id: 'card', handler_id: 'sandbox:card', type: 'card', brand: 'visa' },
                ...{ last_digits: '4242', credential: { type: 'token', token: 'secret' } },
              },
            ],
            selected_instrument_id: 'card',
          },
        },
        by,
      );
      expect(begun.text).not.to.include('secret');
      const again = await whole(by.put(pathOf(begun), begun.body));
      const { updated_at: _, expires_at: __, ...body } = begun.body;
      expect(again.body).to.deep.include(body);
    });

  it('say when an update has taken an automatic discount off', async () => {
    await shop.sell('lamp', { price: 60 });
    await shop.rule('Bright days', {
      value: 5,
      ...{ requirementType: 'MinimumPurchaseAmount', requirementValue: 100 },
    });
    await shop.settle();
    const begun = await begin({ line_items: wanting(['lamp', 2]) });
    expect(begun.body.discounts.applied[0]).to.include({
      title: 'Bright days',
      automatic: true,
      amount: 600,
    });
    const changed = await whole(agent.put(pathOf(begun), { line_items: wanting(['lamp', 1]) }));
    expect(changed.body).not.to.have.property('discounts');
    expect(messagesIn(changed)).to.include('warning discount_code_user_ineligible $.discounts');
    expect(messagesIn(await whole(agent.get(pathOf(begun))))).to.deep.equal(['info missing $.buyer.email']);
  });

  for (const version of datedVersions)
    it(`are ready in ${version} once a place and an option are chosen, and say so again when sent back`, async () => {
      const by = agentAt(shop.base, { version });
      const begun = await begin({ line_items: wanting(['mug', 1], ['jar', 1]), currency: 'JPY' }, by);
      expect(begun.body).not.to.have.property('fulfillment');
      const destination = {
        ...{ street_address: '1 Low Street', address_locality: 'Hull', postal_code: 'HU1 1AA' },
        ...{ address_country: 'GB', door_code: '17' },
      };
      const path = pathOf(begun);
      const placed = await whole(
        by.put(path, { fulfillment: { methods: [{ type: 'shipping', destinations: [destination] }] } }),
      );
      const [{ destinations, ...method }] = placed.body.fulfillment.methods;
      expect(method).not.to.have.property('selected_destination_id');
      expect(destinations[0]).to.include(destination);
      const selected_destination_id = destinations[0].id as string;
      const quoted = await whole(by.put(path, { fulfillment: { methods: [{ selected_destination_id }] } }));
      expect(quoted.body.status).to.equal('incomplete');
      const [group] = quoted.body.fulfillment.methods[0].groups;
      const groups = [{ id: group.id, selected_option_id: group.options[0].id }];
      const ready = await whole(
        by.put(path, { fulfillment: { methods: [{ selected_destination_id, groups }] } }),
      );
      expect(ready.body.status).to.equal('ready_for_complete');
      // 5.00 × 191.2
      expect(amounts(ready.body.totals)).to.include({ fulfillment: 956 });
      const again = await whole(by.put(path, ready.body));
      const { updated_at: _, expires_at: __, ...body } = ready.body;
      expect(again.body).to.deep.include(body);
      expect((await whole(by.get(path))).body).to.deep.equal(again.body);
    });

  it('are in the currency that the agent asks for, if the shop has a rate for it', async () => {
    const yen = await begin({ line_items: wanting(['jar', 1], ['jar', 2]), currency: 'jpy' });
    // 7.77 × 191.2 = 1485.6; three of them 4456.9; with 20 % tax 5348.2 (docs/rules/currency.md#shown).
    expect(yen.body.currency).to.equal('JPY');
    expect(yen.body.line_items[0].item.price).to.equal(1486);
    expect(amounts(yen.body.totals)).to.deep.equal({ subtotal: 4457, tax: 891, total: 5348 });
    const path = pathOf(yen);
    const dinars = await whole(agent.put(path, { context: { currency: 'KWD' } }));
    expect(dinars.body.currency).to.equal('KWD');
    // 23.31 × 0.3941 = 9.1865, and 11.0236 with tax: three decimals, the last one 0 (docs/rules/pricing.md#steps).
    expect(amounts(dinars.body.totals)).to.deep.equal({ subtotal: 9190, tax: 1830, total: 11_020 });
    const unknown = await whole(agent.put(path, { currency: 'USD' }));
    expect(unknown.body.currency).to.equal('KWD');
    expect(messagesIn(unknown)).to.include('warning currency_not_supported $.currency');
    expect(messagesIn(await whole(agent.get(path)))).not.to.include.members([
      'warning currency_not_supported $.currency',
    ]);
    const hinted = await begin({ line_items: wanting(['jar', 1]), context: { currency: 'XTS' } });
    expect(hinted.body.currency).to.equal('GBP');
    expect(messagesIn(hinted)).to.include('warning currency_not_supported $.context.currency');
  });

  it('name what they rest on: what both sides can do, and what is used', async () => {
    const known = await begin({ line_items: wanting(['mug', 1]) });
    const all = ['checkout', 'discount', 'fulfillment', 'buyer_consent'];
    expect(Object.keys(known.body.ucp.capabilities)).to.deep.equal(
      all.map((name) => `dev.ucp.shopping.${name}`),
    );
    expect(messagesIn(known)).not.to.include('info profile_unresolved');
    const stranger = new Browser(shop.base, { 'UCP-Agent': 'profile="agents/42"' });
    const unknown = await begin({ line_items: wanting(['mug', 1]), discounts: { codes: ['TEN'] } }, stranger);
    expect(Object.keys(unknown.body.ucp.capabilities)).to.deep.equal([
      'dev.ucp.shopping.checkout',
      'dev.ucp.shopping.discount',
    ]);
    expect(messagesIn(unknown)).to.include('info profile_unresolved');
    expect(messagesIn(await whole(stranger.get(pathOf(unknown))))).not.to.include('info profile_unresolved');
  });

  for (const version of datedVersions)
    it(`are begun in ${version} for agents whose profile is nowhere or must not be read, which they are told`, async () => {
      for (const profile of [
        'agents/42',
        'ftp://agent.example/profile',
        'http://agent.example/profile',
        'https://127.0.0.1/agent.json',
        'https://10.0.0.7/agent.json',
        'https://[fd00::1]/agent.json',
      ]) {
        const by = new Browser(shop.base, { 'UCP-Agent': `profile="${profile}", version="${version}"` });
        const begun = await begin({ line_items: wanting(['mug', 1]) }, by);
        expect(messagesIn(begun), profile).to.include('info profile_unresolved');
        expect((await by.get(pathOf(begun))).status, profile).to.equal(200);
      }
    });

  it('answer in the version in which they were begun, unless the request names another', async () => {
    const begun = await begin(
      { line_items: wanting(['mug', 1]) },
      agentAt(shop.base, { version: '2026-01-11' }),
    );
    const unversioned = agentAt(shop.base);
    const read = await whole(unversioned.get(pathOf(begun)));
    expect(read.body.ucp.version).to.equal('2026-01-11');
    const named = await whole(agent.get(pathOf(begun)));
    expect(named.body.ucp.version).to.equal('2026-04-08');
    await whole(unversioned.ask({ method: 'POST', path: `${pathOf(begun)}/cancel` }));
    const refused = await unversioned.put(pathOf(begun), { buyer: null });
    expect(refused.body).to.include({ code: 'checkout_not_modifiable' });
    expect(refused.body.detail, 'as that version writes refusals').to.be.a('string');
  });

  it('find an item by product, variant or SKU, and a variant by its options', async () => {
    const option = (name: string, ...values: readonly string[]) => ({
      ...{ name, isVariant: true, values: values.map((value) => ({ name: value })) },
    });
    await shop.sell('shirt', { price: 20, options: [option('Size', 'S', 'M')] });
    const { body: found } = await shop.admin.ask(manage.get('/products?search=shirt'));
    const rootId = found.items[0].id as string;
    const { body: product } = await shop.admin.ask(manage.get(`/products/${rootId}`));
    const medium = (product.variants as { id: string; name: string; sku: string }[]).find(({ name }) =>
      name.includes('M'),
    );
    const begun = await begin({
      line_items: [
        { item: { id: rootId, options: [{ name: 'size', value: 'm' }] }, quantity: 1 },
        { item: { id: medium?.id }, quantity: 1 },
        { item: { id: medium?.sku }, quantity: 1 },
      ],
    });
    expect(begun.body.line_items.map((line: { item: { id: string } }) => line.item.id)).to.deep.equal([
      rootId,
      medium?.id,
      medium?.sku,
    ]);
    for (const { item, options } of begun.body.line_items) {
      expect(item.title).to.equal('Product shirt, M');
      expect(options).to.deep.equal([{ name: 'Size', label: 'M' }]);
    }
  });
});
