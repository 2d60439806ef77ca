import { expect } from 'chai';
import { upsellEventsCollection, type UpsellEventRow } from '#contracts/upsell-events.contract.ts';
import type { ApiResponse } from '#test/support/browser.ts';
import { manage, post } from '#test/support/requests.ts';
import { Customer } from '#test/support/member-shop.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';

const suggestions = '/api/shop/storefront/upsells';
const events = `${suggestions}/events`;
const unknownId = '11111111-2222-5333-8444-555555555555';

interface Row {
  readonly id: string;
  readonly impressions: number;
  readonly clicks: number;
  readonly conversions: number;
  readonly revenue: number;
}

// docs/rules/upsell-performance.md
describe('What upsells bring', () => {
  let shop: TestShop;
  let mug: string;
  let cup: string;
  before(async () => {
    shop = await TestShop.open({ settings: { maxSuggestionsPerLocation: 1 } });
    mug = await shop.sell('MUG', { price: 20, stock: 1000 });
    cup = await shop.sell('CUP', { price: 12.5, stock: 1000 });
  });
  after(() => shop.close());

  const rule = async (name: string, changes: object = {}): Promise<string> => {
    const { status, body } = await shop.admin.ask(
      manage.post('/upsells', {
        name,
        heading: 'Goes well with it',
        status: 'Active',
        triggerRules: [{ triggerType: 'SpecificProducts', triggerIds: [mug] }],
        recommendationRules: [{ recommendationType: 'SpecificProducts', ids: [cup] }],
        ...changes,
      }),
    );
    expect(status, JSON.stringify(body)).to.equal(201);
    await shop.settle();
    return body.id as string;
  };
  const told = (upsellRuleId: string, changes: object = {}) => ({
    ...{ upsellRuleId, displayLocation: 'Basket', productId: cup, eventType: 'Click' },
    ...changes,
  });
  const tell = async (listed: unknown, teller = shop.shopper()): Promise<ApiResponse> =>
    teller.ask(post(events, listed));
  const ask = async (path: string): Promise<ApiResponse['body']> => {
    await shop.settle();
    const { status, body } = await shop.admin.ask(manage.get(path));
    expect(status, JSON.stringify(body)).to.equal(200);
    return body as ApiResponse['body'];
  };
  const performance = (id: string) => ask(`/upsells/${id}/performance`);
  const buy = async (shopper: Shopper, email: string, ...products: string[]): Promise<string> => {
    for (const product of products) await shopper.add(product);
    await shopper.giveAddress(email);
    await shopper.initialize();
    const { body } = await shopper.pay();
    const paid = await shopper.payWith(body.invoiceId as string);
    expect(paid.status, JSON.stringify(paid.body)).to.equal(200);
    return body.invoiceId as string;
  };

  it('counts impressions and clicks by name or number, and writes nothing to the log', async () => {
    const id = await rule('counted');
    const shopper = shop.shopper();
    await shopper.add(mug);
    const head = await shop.shop.runtime.store.head();
    expect((await shopper.get(suggestions)).body[0].products).to.have.lengthOf(1);
    const answer = await tell({
      events: [
        told(id),
        told(id, { displayLocation: 2, eventType: 'click' }),
        told(id, { displayLocation: '16', eventType: 1, productId: null }),
        told(id.toUpperCase(), { eventType: 'Impression', displayLocation: 'productpage' }),
        told(id, { eventType: 0 }),
        told(id, { eventType: 'Impression' }),
        told(id, { eventType: 'Impression' }),
      ],
    });
    expect(answer.status).to.equal(204);
    expect(answer.text).to.equal('');
    expect(await performance(id)).to.deep.include({
      name: 'counted',
      totalImpressions: 5,
      totalClicks: 3,
      totalConversions: 0,
      clickThroughRate: 60,
      conversionRate: 0,
      totalRevenue: 0,
      averageOrderValue: 0,
      lastConversion: null,
    });
    expect(await shop.shop.runtime.store.head()).to.equal(head);
  });

  it('takes no more events a minute from one address than its limit, and none of a list that goes beyond it', async () => {
    const few = await TestShop.open({ environment: { Storefront__UpsellEventsPerMinute: '5' } });
    try {
      const pen = await few.sell('PEN', { price: 2 });
      const made = await few.admin.post('/backoffice/api/v1/upsells', {
        ...{ name: 'few', heading: 'Goes well with it', status: 'Active' },
        triggerRules: [{ triggerType: 'SpecificProducts', triggerIds: [pen] }],
        recommendationRules: [{ recommendationType: 'SpecificProducts', ids: [pen] }],
      });
      const id = made.body.id as string;
      const send = (count: number) =>
        few
          .shopper()
          .ask(post(events, { events: Array.from({ length: count }, () => told(id, { productId: pen })) }));
      const senseless = Array.from({ length: 50 }, () => told(unknownId));
      expect(
        (await few.shopper().ask(post(events, { events: senseless }))).status,
        'counts for nothing',
      ).to.equal(204);
      const answers = [await send(3), await send(3), await send(2), await send(1)];
      expect(answers.map(({ status }) => status)).to.deep.equal([204, 429, 204, 429]);
      expect(Number(answers[1]?.headers.get('retry-after'))).to.be.within(1, 60);
      await few.settle();
      const { body } = await few.admin.get(`/backoffice/api/v1/upsells/${id}/performance`);
      expect(body.totalClicks).to.equal(5);
      await few.tester.post('/testing/clock', { advanceSeconds: 60 });
      expect((await send(5)).status).to.equal(204);
    } finally {
      await few.close();
    }
  });

  it('counts nothing that never was, and takes the rest', async () => {
    const id = await rule('not deceived');
    const senseless = [
      told(''),
      told(unknownId),
      told('no guid'),
      { ...told(id), upsellRuleId: undefined },
      told(id, { eventType: 'Conversion' }),
      told(id, { eventType: 2 }),
      told(id, { eventType: 'Purchase' }),
      told(id, { eventType: null }),
      told(id, { displayLocation: 'Attic' }),
      told(id, { displayLocation: 3 }),
      told(id, { displayLocation: 0 }),
      told(id, { displayLocation: 'None' }),
      told(id, { displayLocation: ['Basket'] }),
      told(id, { productId: unknownId }),
      told(id, { productId: 5 }),
      told(id, { productId: { id: cup } }),
      'Click',
      null,
      [],
    ];
    for (const listed of [
      {},
      { events: null },
      { events: [] },
      { events: senseless },
      { events: [...senseless, told(id)] },
      { events: Array.from({ length: 10_000 }, () => ({})) },
    ])
      expect((await tell(listed)).status, JSON.stringify(listed).slice(0, 200)).to.equal(204);
    const { totalImpressions, totalClicks, totalConversions } = await performance(id);
    expect({ totalImpressions, totalClicks, totalConversions }).to.deep.equal({
      totalImpressions: 0,
      totalClicks: 1,
      totalConversions: 0,
    });
  });

  it('refuses what is no list, and more than a body may hold, and counts nothing of it', async () => {
    const id = await rule('untouched');
    const refused = await tell({ events: told(id) });
    expect(refused.status).to.equal(400);
    expect(JSON.stringify(refused.body)).to.include('events');
    expect((await tell({ events: Array.from({ length: 10_000 }, () => told(id)) })).status).to.equal(413);
    expect((await performance(id)).totalClicks).to.equal(0);
  });

  it('lets a purchase convert what its basket was shown, once, and a cancellation changes nothing', async () => {
    const id = await rule('bought', { priority: 1 });
    const ada = shop.shopper();
    await ada.add(mug);
    expect((await ada.get(suggestions)).body[0].upsellRuleId).to.equal(id);
    await tell({ events: [told(id)] }, ada);
    const invoiceId = await buy(ada, 'ada@example.com', cup, cup);
    const bob = shop.shopper();
    await bob.add(mug);
    expect((await bob.get(`${suggestions}/product/${mug}`)).body[0].upsellRuleId).to.equal(id);
    await tell({ events: [told(id)] }, bob);
    await buy(bob, 'bob@example.com', cup);
    const eve = shop.shopper();
    expect((await eve.get(`${suggestions}/product/${mug}`)).status).to.equal(200);
    await buy(eve, 'eve@example.com', mug, cup);
    const after = {
      totalImpressions: 3,
      totalClicks: 2,
      totalConversions: 2,
      clickThroughRate: 66.67,
      conversionRate: 100,
      totalRevenue: 37.5,
      averageOrderValue: 18.75,
      uniqueCustomersCount: 2,
    };
    const counted = await performance(id);
    expect(counted).to.deep.include(after);
    expect(Object.keys(counted.eventsByDate[0] as object)).to.deep.equal([
      'date',
      'impressions',
      'clicks',
      'conversions',
      'revenue',
    ]);
    expect(counted.eventsByDate).to.have.lengthOf(1);
    expect(counted.eventsByDate[0]).to.deep.include({
      impressions: 3,
      clicks: 2,
      conversions: 2,
      revenue: 37.5,
    });
    expect(counted.firstImpression).to.be.a('string');
    const cancelled = await shop.admin.ask(
      manage.post(`/orders/${invoiceId}/cancel`, { reason: 'too many' }),
    );
    expect(cancelled.status, JSON.stringify(cancelled.body)).to.equal(200);
    expect(await performance(id)).to.deep.include(after);
    const [best] = (await ask('/upsells/summary?topN=1')) as readonly object[];
    expect(best).to.deep.equal({
      ...{ id, name: 'bought', status: 'Active', impressions: 3, clicks: 2, conversions: 2, revenue: 37.5 },
      clickThroughRate: 66.67,
      conversionRate: 100,
    });
  });

  it('counts what a member buys that they were shown before they signed in', async () => {
    const id = await rule('before the sign-in', { priority: 0 });
    const email = 'member@example.com';
    await new Customer(shop.base).register(email, mug);
    const phone = new Customer(shop.base);
    await phone.add(mug);
    expect((await phone.get(suggestions)).body[0].upsellRuleId).to.equal(id);
    const guestBasketId = phone.basketId;
    await phone.signIn(email);
    expect(phone.basketId).not.to.equal(guestBasketId);
    await buy(phone, email, cup);
    expect(await performance(id)).to.deep.include({
      totalImpressions: 1,
      totalConversions: 1,
      totalRevenue: 12.5,
    });
  });

  it('adds up all rules on the dashboard, the best five by name', async () => {
    const id = await rule('off', { status: 'Draft' });
    await tell({ events: [told(id), told(id)] });
    const before = (await ask('/upsells/summary')) as readonly Row[];
    expect(before.find((row) => row.id === id)).to.deep.include({ clicks: 2, revenue: 0, status: 'Draft' });
    const sum = (figure: 'impressions' | 'clicks' | 'conversions' | 'revenue'): number =>
      before.reduce((total, row) => total + row[figure], 0);
    const dashboard = await ask('/upsells/dashboard');
    expect(dashboard).to.deep.include({
      totalImpressions: sum('impressions'),
      totalClicks: sum('clicks'),
      totalConversions: sum('conversions'),
      totalRevenue: sum('revenue'),
    });
    expect(dashboard.totalActiveRules).to.equal(before.length - 1);
    expect(dashboard.topPerformers[0]).to.deep.include({ name: 'bought', revenue: 37.5 });
    expect(dashboard.topPerformers).to.have.lengthOf(5);
    expect(dashboard.trendByDate).to.have.lengthOf(1);
    expect(dashboard.trendByDate[0]).to.deep.include({ clicks: sum('clicks'), revenue: sum('revenue') });
  });

  it('has rows for ninety days, and what they came to for good', async () => {
    const id = await rule('long ago');
    await tell({ events: [told(id)] });
    await shop.settle();
    const { stateStore } = shop.shop.runtime;
    const filter = { _id: { gt: '' }, upsellRuleId: id };
    const rows = (): Promise<number> => stateStore.count(upsellEventsCollection, filter);
    const [row] = await stateStore.find<UpsellEventRow>(upsellEventsCollection, { filter });
    expect(row).to.deep.include({
      eventType: 'Click',
      productId: cup,
      displayLocation: 'Basket',
      basketId: null,
    });
    const purge = async (days: number): Promise<void> => {
      await shop.tester.post('/testing/clock', { advanceSeconds: days * 86_400 });
      expect((await shop.tester.post('/testing/jobs/purge-upsell-events')).status).to.equal(200);
    };
    await purge(89.9);
    expect(await rows()).to.equal(1);
    await purge(0.2);
    expect(await rows()).to.equal(0);
    expect((await performance(id)).totalClicks).to.equal(1);
  });

  it('of a rule that is not there: 404; a wrong number of rows: 400', async () => {
    expect((await shop.admin.ask(manage.get(`/upsells/${unknownId}/performance`))).status).to.equal(404);
    for (const topN of ['0', '101', 'many'])
      expect((await shop.admin.ask(manage.get(`/upsells/summary?topN=${topN}`))).status).to.equal(400);
    expect((await shop.shopper().ask(manage.get('/upsells/dashboard'))).status).to.equal(401);
  });
});
