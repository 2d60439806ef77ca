import { expect } from 'chai';
import { datedVersions, type DatedVersion } from '#test/support/agents/answer-schemas.ts';
import { agentAt, sessionsPath, wanting } from '#test/support/agents/asking-agent.ts';
import { BuyingAgent } from '#test/support/agents/buying-agent.ts';
import { checkoutProblems, orderProblems } from '#test/support/agents/checkout-problems.ts';
import type { ApiResponse, Browser } from '#test/support/browser.ts';
import { startReceiver, type Receiver } from '#test/support/receiver.ts';
import { manage } from '#test/support/requests.ts';
import { TestShop } from '#test/support/shop.ts';

interface Total {
  readonly type: string;
  readonly amount: number;
}
interface Group {
  readonly id: string;
  readonly line_item_ids: readonly string[];
}
interface Option {
  readonly id: string;
  readonly title: string;
  readonly totals: readonly Total[];
}

const london = {
  ...{ first_name: 'Ada', last_name: 'Lovelace', street_address: '12 High Street' },
  ...{ address_locality: 'London', postal_code: 'SW1A 1AA', address_country: 'GB' },
};
const paris = {
  ...{ full_name: 'Ada Lovelace', street_address: '1 Rue de Rivoli', city: 'Paris' },
  ...{ postal_code: '75001', country: 'fr', entrance: 'B' },
};
const sending = (method: object) => ({ methods: [{ type: 'shipping', ...method }] });
const choosing = (optionId: string, groupId?: string) =>
  sending({ groups: [{ ...(groupId !== undefined && { id: groupId }), selected_option_id: optionId }] });

// docs/rules/agent-sessions.md#shipping
describe('How agents have goods sent', () => {
  let shop: TestShop;
  let profiles: Receiver;
  const make = async (path: string, body: object): Promise<Record<string, string>> => {
    const { status, body: made, text } = await shop.admin.ask(manage.post(path, body));
    if (status !== 201) throw new Error(`${path}: ${text}`);
    return made as Record<string, string>;
  };
  before(async () => {
    shop = await TestShop.open({
      environment: { ALLOW_LOOPBACK_TARGETS: 'true', Protocol__Ucp__StoredAddressInjection: 'all' },
    });
    profiles = await startReceiver((response, { path }) => {
      const version = path.slice(1);
      const capabilities = ['checkout', 'order', 'fulfillment'].map((name) => ({
        ...{ name: `dev.ucp.shopping.${name}`, version },
        ...(name === 'fulfillment' && { config: { supports_multi_group: true } }),
      }));
      response.end(JSON.stringify({ ucp: { version, capabilities } }));
    });
    await shop.sell('mug', { price: 10, stock: 500 });
    await shop.sell('book', { price: 5, isDigital: true });
    const { items: warehouses } = (await shop.admin.ask(manage.get('/warehouses'))).body;
    const hull = { warehouseId: warehouses[0].id as string };
    const abroad = [{ countryCode: 'FR', regionCode: null, cost: 12 }];
    await make('/shipping-options', {
      ...hull,
      name: 'Air',
      fixedCost: null,
      costs: abroad,
      externalKey: 'air',
    });
    const express = { name: 'Express', fixedCost: 9.99, externalKey: 'express' };
    await make('/shipping-options', { ...hull, ...express });
    const { id: leeds = '' } = await make('/warehouses', { name: 'Leeds', address: { countryCode: 'GB' } });
    await make('/shipping-options', { warehouseId: leeds, ...express, fixedCost: 4.44 });
    await shop.sell('pot', { price: 20, more: { warehouses: [{ warehouseId: leeds }] } });
    const rates = { configuration: { rates: { JPY: 191.2 } } };
    await shop.admin.ask(manage.put('/exchange-rate-providers/manual/settings', rates));
    await shop.rule('Over 100', {
      ...{ category: 'FreeShipping', valueType: 'Free', requirementType: 'MinimumPurchaseAmount' },
      ...{ requirementValue: 100, freeShipping: { countryScope: 'AllCountries' } },
    });
    const customer = { email: 'grace@example.com', firstName: 'Grace', lastName: 'Hopper' };
    const address = { name: 'Grace Hopper', addressOne: '5 Navy Yard', townCity: 'Leeds', countryCode: 'GB' };
    const addresses = [{ ...address, postalCode: 'LS1 1AA', externalKey: 'addr_1' }];
    await make('/customers', { ...customer, addresses });
    await shop.settle();
  });
  after(async () => {
    await shop.close();
    await profiles.close();
  });

  const whole = async (asked: Promise<ApiResponse>, status = 200, groups: 'one' | 'many' = 'one') => {
    const { body, text, status: answered } = await asked;
    expect(answered, text).to.equal(status);
    expect(checkoutProblems(body, { groups })).to.deep.equal([]);
    return body;
  };
  type Body = Awaited<ReturnType<typeof whole>>;
  const begin = (by: Browser, body: object) => whole(by.post(sessionsPath, body), 201);
  const change = (by: Browser, { id }: Body, body: object) => whole(by.put(`${sessionsPath}/${id}`, body));
  const methodOf = ({ fulfillment }: Body) => fulfillment?.methods[0];
  const optionsOf = (body: Body) =>
    (methodOf(body)?.groups?.[0]?.options as readonly Option[] | undefined)?.map(
      ({ id, title, totals }) => [id, title, totals.at(-1)?.amount] as const,
    );
  const amountOf = ({ totals }: Body, type: string) =>
    (totals as readonly Total[]).find((total) => total.type === type)?.amount;
  const codesOf = ({ messages }: Body) => (messages as { code: string }[]).map(({ code }) => code);

  for (const version of datedVersions) {
    it(`offers what goes to the country, and is ready once something is chosen, in ${version}`, async () => {
      const by = agentAt(shop.base, { version });
      const begun = await begin(by, {
        ...{ line_items: wanting(['mug', 2], ['book', 1], ['mug', 1]), buyer: { email: 'new@example.com' } },
        fulfillment: sending({ id: 'post', destinations: [london, { ...paris, id: 'second' }] }),
      });
      const [home, second] = methodOf(begun).destinations;
      expect(methodOf(begun)).to.include({ id: 'post', type: 'shipping' });
      expect(methodOf(begun)).not.to.have.any.keys('selected_destination_id', 'groups');
      expect(methodOf(begun).line_item_ids, 'what is digital is not sent').to.have.length(2);
      expect(second).to.include({
        id: 'second',
        address_country: 'FR',
        entrance: 'B',
        last_name: 'Lovelace',
      });
      const near = await change(by, begun, { fulfillment: sending({ selected_destination_id: home.id }) });
      expect(
        optionsOf(near)
          ?.map(([id]) => id)
          .slice(1),
      ).to.deep.equal(['express']);
      expect(near.status).to.equal('requires_escalation');
      const far = await change(by, near, { fulfillment: sending({ selected_destination_id: 'second' }) });
      expect(optionsOf(far)?.map(([id]) => id)).to.include('air');
      expect(amountOf(far, 'fulfillment')).to.equal(undefined);
      const { line_items: lines } = far;
      const sent = await change(by, far, {
        line_items: [lines[0]],
        fulfillment: choosing('air'),
      });
      expect(amountOf(sent, 'fulfillment')).to.equal(1200);
      expect(amountOf(sent, 'total')).to.equal(2000 + 1200 + (amountOf(sent, 'tax') ?? 0));
      expect(sent.status).to.equal('ready_for_complete');
      const back = await change(by, sent, { fulfillment: sending({ selected_destination_id: home.id }) });
      expect(codesOf(back), 'it does not go there').to.include('fulfillment_option_unavailable');
      expect(back.status).to.equal('incomplete');
    });

    it(`knows where a buyer lives, and what a new one says, in ${version}`, async () => {
      const by = agentAt(shop.base, { version });
      const email = `${version}@example.com`;
      const known = await begin(by, {
        line_items: wanting(['mug', 1]),
        buyer: { email: 'Grace@example.com' },
      });
      expect(methodOf(known).destinations).to.have.length(1);
      expect(methodOf(known).destinations[0]).to.include({ id: 'addr_1', street_address: '5 Navy Yard' });
      const chosen = await change(by, known, {
        fulfillment: sending({
          selected_destination_id: 'addr_1',
          groups: [{ selected_option_id: 'express' }],
        }),
      });
      expect(amountOf(chosen, 'fulfillment')).to.equal(999);
      expect(chosen.status).to.equal('ready_for_complete');
      const stranger = await begin(by, { line_items: wanting(['mug', 1]), buyer: { email } });
      expect(stranger).not.to.have.property('fulfillment');
      const asked = await change(by, stranger, { fulfillment: sending({}) });
      expect(methodOf(asked)).not.to.have.property('destinations');
      const told = await change(by, asked, { fulfillment: sending({ destinations: [london] }) });
      const [{ id }] = methodOf(told).destinations;
      const next = await begin(by, { line_items: wanting(['mug', 1]), buyer: { email } });
      expect(methodOf(next).destinations[0].id).to.equal(id);
    });
  }

  for (const version of datedVersions)
    it(`takes goods of two warehouses as one group, in yen too, and free shipping inside the prices, in ${version}`, async () => {
      const by = agentAt(shop.base, { version });
      const body = {
        ...{ line_items: wanting(['mug', 1], ['pot', 1]), currency: 'JPY' },
        fulfillment: sending({ destinations: [{ ...london, id: 'home' }], selected_destination_id: 'home' }),
      };
      const begun = await begin(by, body);
      // (9.99 + 4.44) × 191.2 = 2759.0 (docs/rules/currency.md#shown).
      expect(optionsOf(begun)).to.deep.equal([['express', 'Express', 2759]]);
      const chosen = await change(by, begun, { fulfillment: choosing('express', 'made up') });
      expect(methodOf(chosen).groups[0]).to.include({ id: 'group_1', selected_option_id: 'express' });
      expect(amountOf(chosen, 'fulfillment')).to.equal(2759);
      const free = await change(by, chosen, { line_items: wanting(['mug', 1], ['pot', 5]) });
      expect(optionsOf(free)).to.deep.equal([['express', 'Free Express', 0]]);
      expect(amountOf(free, 'fulfillment')).to.equal(0);
      expect(amountOf(free, 'discount')).to.equal(undefined);
      expect(free).not.to.have.nested.property('discounts.applied[0]');
      expect(codesOf(free)).to.include('free_shipping_applied');
    });

  const mugAndPot = {
    line_items: wanting(['mug', 1], ['pot', 1]),
    fulfillment: sending({ destinations: [{ ...london, id: 'home' }], selected_destination_id: 'home' }),
  };
  /** Paid, what its order says of each parcel: how it travels, and the lines in it. */
  const parcelsOnceBought = async (by: Browser, version: DatedVersion, { id }: Body) => {
    const done = await new BuyingAgent(shop.base, { version, browser: by }).complete(`${sessionsPath}/${id}`);
    expect([done.status, done.body.status], done.text).to.deep.equal([200, 'completed']);
    const { body } = await by.get(`/api/v1/orders/${done.body.order.id}`);
    expect(orderProblems(body)).to.deep.equal([]);
    return (body.fulfillment.expectations as { description: string; line_items: { id: string }[] }[])
      .map(({ description, line_items: lines }) => [description, ...lines.map((line) => line.id)])
      .toSorted();
  };

  for (const version of datedVersions) {
    it(`lets an agent that declares several groups choose for each warehouse, in ${version}`, async () => {
      const by = agentAt(shop.base, { version, profile: `${profiles.url}/${version}` });
      const begun = await whole(by.post(sessionsPath, mugAndPot), 201, 'many');
      const [mug, pot] = begun.line_items.map(({ id }: { id: string }) => id);
      const groups = methodOf(begun).groups as (Group & { readonly options: readonly Option[] })[];
      const groupOf = (lineId: string) => groups.find(({ line_item_ids: ids }) => ids.includes(lineId));
      const [ofMug, ofPot] = [groupOf(mug), groupOf(pot)];
      expect([groups.length, ofMug?.line_item_ids, ofPot?.line_item_ids]).to.deep.equal([2, [mug], [pot]]);
      const offered = [ofMug, ofPot].map((group) =>
        group?.options.map(({ title, totals }) => [title, totals.at(-1)?.amount]),
      );
      expect(offered).to.deep.equal([
        [
          ['Parcel', 500],
          ['Express', 999],
        ],
        [['Express', 444]],
      ]);
      const choose = (...choices: readonly object[]) =>
        by.put(`${sessionsPath}/${begun.id}`, { fulfillment: sending({ groups: choices }) });
      const forPot = { id: ofPot?.id, selected_option_id: 'express' };
      const half = await whole(choose(forPot), 200, 'many');
      expect(half.status, 'only one is chosen').to.equal('incomplete');
      expect(amountOf(half, 'fulfillment')).to.equal(444);
      expect((await whole(by.get(`${sessionsPath}/${begun.id}`), 200, 'many')).totals).to.deep.equal(
        half.totals,
      );
      const forMug = { id: ofMug?.id, selected_option_id: ofMug?.options[0]?.id };
      const chosen = await whole(choose(forMug), 200, 'many');
      expect(chosen.status).to.equal('ready_for_complete');
      expect(amountOf(chosen, 'fulfillment')).to.equal(500 + 444);
      const faster = await whole(choose({ ...forMug, selected_option_id: 'express' }), 200, 'many');
      expect(amountOf(faster, 'fulfillment')).to.equal(999 + 444);
      expect(await parcelsOnceBought(by, version, await whole(choose(forMug), 200, 'many'))).to.deep.equal([
        ['Express', pot],
        ['Parcel', mug],
      ]);
    });

    it(`sends what another agent buys from two warehouses as it has chosen for both, in ${version}`, async () => {
      const by = agentAt(shop.base, { version });
      const begun = await begin(by, mugAndPot);
      const [mug, pot] = begun.line_items.map(({ id }: { id: string }) => id);
      expect(methodOf(begun).groups).to.have.length(1);
      const chosen = await change(by, begun, { fulfillment: choosing('express') });
      expect(amountOf(chosen, 'fulfillment')).to.equal(999 + 444);
      expect(await parcelsOnceBought(by, version, chosen)).to.deep.equal(
        [
          ['Express', mug],
          ['Express', pot],
        ].toSorted(),
      );
    });
  }

  it('sends nothing that is digital, which needs an account', async () => {
    const by = agentAt(shop.base, { version: '2026-04-08' });
    const begun = await begin(by, {
      line_items: wanting(['book', 1]),
      fulfillment: sending({ destinations: [london] }),
    });
    expect(begun).not.to.have.property('fulfillment');
    expect(codesOf(begun)).to.include('account_required');
    expect(begun.status).to.equal('requires_escalation');
  });

  it('tells a country that nobody knows from one that is not served, and keeps the session', async () => {
    const by = agentAt(shop.base, { version: '2026-01-11' });
    const to = (country?: string) =>
      sending({
        destinations: [{ id: 'there', ...(country && { address_country: country }) }],
        selected_destination_id: 'there',
      });
    const begun = await begin(by, { line_items: wanting(['mug', 1]), fulfillment: to('XX') });
    expect(codesOf(begun)).to.include('address_undeliverable');
    const nowhere = await change(by, begun, { fulfillment: to() });
    expect(codesOf(nowhere)).to.include('address_undeliverable');
    const cleared = await change(by, nowhere, { fulfillment: null });
    expect(cleared).not.to.have.property('fulfillment');
  });
});

// docs/rules/checkout.md#addresses
describe('Customers whom agents make known', () => {
  let shop: TestShop;
  before(async () => {
    shop = await TestShop.open({ environment: { Checkout__NewCustomersPerMinute: '1' } });
    await shop.sell('mug', { price: 10 });
  });
  after(() => shop.close());

  it('are so many a minute from one address, also by who only reads', async () => {
    const by = agentAt(shop.base, { version: '2026-04-08' });
    const home = sending({ destinations: [{ ...london, id: 'home' }], selected_destination_id: 'home' });
    const begin = (email: string) => {
      const body = { line_items: wanting(['mug', 1]), buyer: { email } };
      return by.post(sessionsPath, body);
    };
    const send = async ({ body }: ApiResponse) => by.put(`${sessionsPath}/${body.id}`, { fulfillment: home });
    expect((await send(await begin('ada@example.com'))).status).to.equal(200);
    const second = await begin('grace@example.com');
    const cart = await by.post('/api/v1/carts', {
      ...{ line_items: wanting(['mug', 1]), buyer: { email: 'joan@example.com' } },
    });
    const limited = [
      ...[await send(second), await by.get(`${sessionsPath}/${second.body.id}`)],
      await by.post(sessionsPath, { cart_id: cart.body.id, fulfillment: home }),
      await by.get(`/api/v1/carts/${cart.body.id}`),
    ];
    for (const { status, body, headers } of limited) {
      expect([status, body.code]).to.deep.equal([429, 'rate_limited']);
      expect(headers.get('retry-after')).to.match(/^[1-9]\d*$/);
    }
    expect((await send(await begin('ada@example.com'))).status, 'who is known').to.equal(200);
    expect((await shop.shown('/customers')).totalItems).to.equal(1);
  });
});
