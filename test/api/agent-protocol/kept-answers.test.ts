import { expect } from 'chai';
import { agentAt, sessionsPath, wanting } from '#test/support/agents/asking-agent.ts';
import { BuyingAgent, home } from '#test/support/agents/buying-agent.ts';
import type { ApiResponse, Browser } from '#test/support/browser.ts';
import { sociable } from '#test/support/builders/discount.ts';
import { manage } from '#test/support/requests.ts';
import { TestShop } from '#test/support/shop.ts';

const HOUR_SECONDS = 3600;

// docs/rules/agent-sessions.md#answers
describe('A checkout session that is read again and again', () => {
  let shop: TestShop;
  let agent: Browser;
  let path: string;
  let mugId: string;
  let inOneHour: string;
  let inTwoHours: string;
  const hoursLater = (hours: number): string =>
    new Date(Date.now() + hours * HOUR_SECONDS * 1000).toISOString();
  before(async () => {
    shop = await TestShop.open();
    mugId = await shop.sell('mug', { price: 10, stock: 5 });
    [inOneHour, inTwoHours] = [hoursLater(1), hoursLater(2)];
    await shop.rule('Free for an hour', {
      ...{ category: 'FreeShipping', valueType: 'Free', freeShipping: { countryScope: 'AllCountries' } },
      ...{ startsAt: inOneHour, endsAt: inTwoHours, ...sociable },
    });
    await shop.rule('TEN', { method: 'Code', code: 'TEN', endsAt: inTwoHours, ...sociable });
    agent = agentAt(shop.base, { version: '2026-04-08' });
    const begun = await agent.post(sessionsPath, {
      line_items: wanting(['mug', 2]),
      buyer: { email: 'ada@example.com' },
      discounts: { codes: ['TEN'] },
      fulfillment: { methods: [{ destinations: [home], selected_destination_id: home.id }] },
    });
    expect(begun.status, begun.text).to.equal(201);
    path = `${sessionsPath}/${begun.body.id}`;
  });
  after(() => shop.close());

  /** One answer is kept of a session: in another dialect it is made again, and so is the next one. */
  const madeAgain = async (): Promise<string> => {
    await agentAt(shop.base, { version: '2026-01-11' }).get(path);
    return (await agent.get(path)).text;
  };
  const isGivenAgain = async (): Promise<void> => {
    const { text } = await agent.get(path);
    expect((await agent.get(path)).text).to.equal(text);
  };
  /** What is read once this has happened, which is what would be read by an agent who reads it first. */
  const once = async (happens: () => Promise<unknown>): Promise<ApiResponse['body']> => {
    await isGivenAgain();
    await happens();
    await shop.settle();
    const { text, body } = await agent.get(path);
    expect(text).to.equal(await madeAgain());
    return body;
  };
  const change = async (request: ReturnType<typeof manage.put>): Promise<ApiResponse> => {
    const answer = await shop.admin.ask(request);
    expect(answer.status, answer.text).to.equal(200);
    return answer;
  };
  const pass = (hours: number) =>
    shop.tester.post('/testing/clock', { advanceSeconds: hours * HOUR_SECONDS + 1 });
  const costOf = ({ fulfillment }: ApiResponse['body']): number =>
    fulfillment.methods[0].groups[0].options[0].totals.at(-1).amount;
  const codesOf = ({ messages }: ApiResponse['body']): readonly string[] =>
    messages.map(({ code }: { readonly code: string }) => code);

  it('says what is left once others have bought, and what is there again', async () => {
    const bought = await once(() => new BuyingAgent(shop.base).buy(['mug', 4]));
    expect(codesOf(bought)).to.deep.equal(['out_of_stock']);
    const [{ id: warehouseId }] = (await shop.admin.ask(manage.get('/warehouses'))).body.items;
    const refilled = await once(() =>
      change(
        manage.post('/inventory/adjust', { productId: mugId, warehouseId, newStock: 50, reason: 'Count' }),
      ),
    );
    expect(codesOf(refilled)).to.deep.equal([]);
  });

  it('says what shipping costs now, and from when until when it is free', async () => {
    const [option] = (await shop.admin.ask(manage.get('/shipping-options'))).body.items;
    const dearer = await once(() => change(manage.put(`/shipping-options/${option.id}`, { fixedCost: 6 })));
    expect(costOf(dearer)).to.equal(600);
    expect(costOf(await once(() => pass(1)))).to.equal(0);
    expect(costOf(await once(() => pass(1)))).to.equal(600);
  });

  it('says who sells and how it can be paid now', async () => {
    const moved = await once(() => change(manage.put('/settings', { websiteUrl: 'https://shop.example' })));
    expect(moved.continue_url).to.match(/^https:\/\/shop\.example\/continue\//);
    expect(moved.ucp.payment_handlers).to.have.property('com.tillroll.sandbox');
    const less = await once(() =>
      change(manage.post('/payment-providers/sandbox/toggle', { isEnabled: false })),
    );
    expect(less.ucp.payment_handlers).not.to.have.property('com.tillroll.sandbox');
  });

  it('says what its agent has changed, the dialect that is asked for, and nothing to another agent', async () => {
    const changed = await once(() => agent.put(path, { line_items: wanting(['mug', 3]) }));
    expect(changed.line_items[0].quantity).to.equal(3);
    const older = await agentAt(shop.base, { version: '2026-01-11' }).get(path);
    expect(older.body.ucp.version).to.equal('2026-01-11');
    const other = await agentAt(shop.base, { name: 'other', version: '2026-04-08' }).get(path);
    expect(other.status).to.equal(404);
  });

  it('is over when its time is', async () => {
    expect((await once(() => pass(6))).status).to.equal('canceled');
  });
});
