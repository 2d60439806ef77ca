import { newId } from '#kernel/ids.ts';
import { agentAt, sessionsPath, wanting } from '#test/support/agents/asking-agent.ts';
import type { ApiResponse } from '#test/support/browser.ts';
import type { Behaviour, Body, Stage } from './agent-stage.ts';
import { noticeBehaviours } from './notice-behaviours.ts';

const codeOf = ({ body }: ApiResponse): string | undefined =>
  body.code ?? body.messages?.find(({ type }: Body) => type === 'error')?.code;
const refusal = (answer: ApiResponse) => [answer.status, codeOf(answer)];
const amountOf = ({ body }: ApiResponse, type: string): number | undefined =>
  body.totals.find((total: Body) => total.type === type)?.amount;
const textOf = ({ body }: ApiResponse): string => body.detail ?? body.messages[0].content;
const send = (stage: Stage, path: string, body: object, key: string) =>
  stage.agent.ask({ method: 'POST', path, body, headers: { 'Idempotency-Key': key } });
const withCodes = (stage: Stage, ...codes: readonly string[]) => stage.begin({ discounts: { codes } });
const street = { street_address: '1 Low Street', address_locality: 'Hull', postal_code: 'HU1 1AA' };
const sending = (method: object) => ({ fulfillment: { methods: [{ type: 'shipping', ...method }] } });
const home = { id: 'home', ...street, address_country: 'GB' };
const atHome = sending({ destinations: [home], selected_destination_id: 'home' });
const methodOf = ({ body }: ApiResponse): Body => body.fulfillment.methods[0];

const isShipped = ({ type }: Body): boolean => type === 'shipped';

const discovery: readonly Behaviour[] = [
  {
    what: 'the manifest of its version',
    ask: async ({ agent, version }) => {
      const { status, body } = await agent.get(`/.well-known/ucp/${version}`);
      return [status, body.ucp.version, Array.isArray(body.ucp.capabilities)];
    },
    is: [200, '2026-04-08', false],
    isOlder: [200, '2026-01-11', true],
  },
  {
    what: 'a version that is none',
    ask: async ({ shop, agent }) => {
      const profile = `profile="${shop.base}/.well-known/ucp-test-agent/x"`;
      const headers = { 'UCP-Agent': `${profile}; version="2099-01-01"` };
      return refusal(await agent.ask({ method: 'GET', path: '/.well-known/ucp', headers }));
    },
    is: [422, 'version_unsupported'],
  },
  {
    what: 'no profile',
    ask: async ({ agent }) =>
      refusal(
        await agent.ask({ method: 'GET', path: `${sessionsPath}/x`, headers: { 'UCP-Agent': 'none' } }),
      ),
    is: [400, 'invalid_profile_url'],
  },
];

const sessions: readonly Behaviour[] = [
  {
    what: 'id, status and price of the client change nothing',
    ask: async ({ agent }) => {
      const answer = await agent.post(sessionsPath, {
        ...{ id: 'mine', status: 'completed' },
        line_items: [{ id: 'x', item: { id: 'mug', price: 1 }, quantity: 1 }],
      });
      const { body, status } = answer;
      return [status, body.id === 'mine', body.status, body.line_items[0].item.price];
    },
    is: [201, false, 'incomplete', 1000],
  },
  {
    what: 'an update; the buyer stays when it is not named',
    ask: async (stage) => {
      const begun = await stage.begin({ buyer: { first_name: 'Ada' } });
      const changed = await stage.agent.put(stage.pathOf(begun), { line_items: wanting(['mug', 3]) });
      return [changed.status, amountOf(changed, 'subtotal'), changed.body.buyer.first_name];
    },
    is: [200, 3000, 'Ada'],
  },
  {
    what: 'cancel without a body; a final state is final',
    ask: async (stage) => {
      const path = stage.pathOf(await stage.begin());
      const cancel = () => stage.agent.ask({ method: 'POST', path: `${path}/cancel` });
      const { status, body } = await cancel();
      const again = await cancel();
      return [status, body.status, ...refusal(again), ...refusal(await stage.agent.put(path, {}))];
    },
    is: [200, 'canceled', 409, 'checkout_not_modifiable', 409, 'checkout_not_modifiable'],
  },
  {
    what: 'a create that is sent twice, and another under its key',
    ask: async (stage) => {
      const key = newId();
      const body = { line_items: wanting(['mug', 1]) };
      const one = await send(stage, sessionsPath, body, key);
      const two = await send(stage, sessionsPath, body, key);
      const other = await send(stage, sessionsPath, { line_items: wanting(['mug', 2]) }, key);
      return [one.text === two.text, two.headers.get('Idempotency-Replayed'), ...refusal(other)];
    },
    is: [true, 'true', 409, 'idempotency_conflict'],
  },
  {
    what: 'consent is kept',
    ask: async (stage) => {
      const begun = await stage.begin({ buyer: { consent: { marketing: true } } });
      return [begun.status, (await stage.agent.get(stage.pathOf(begun))).body.buyer.consent];
    },
    is: [201, { marketing: true }],
  },
  {
    what: 'more than there is, and what was never sold',
    ask: async (stage) => {
      const begun = await stage.begin();
      const more = await stage.agent.put(stage.pathOf(begun), { line_items: wanting(['mug', 9000]) });
      const none = await stage.begin({}, [['nothing', 1]]);
      return [
        ...refusal(more),
        /^Insufficient stock/.test(textOf(more)),
        none.status,
        /not found/.test(textOf(none)),
      ];
    },
    is: [400, 'out_of_stock', true, 200, true],
    isOlder: [400, 'out_of_stock', true, 400, true],
  },
  {
    what: 'a session of another agent',
    ask: async (stage) => {
      const path = stage.pathOf(await stage.begin());
      const stranger = agentAt(stage.shop.base, { name: 'stranger', version: stage.version });
      return [refusal(await stranger.get(path)), refusal(await stage.agent.get(`${sessionsPath}/none`))];
    },
    is: [
      [404, 'not_found'],
      [404, 'not_found'],
    ],
  },
  {
    what: 'amounts of yen and of thousandths of dinars',
    ask: async (stage) => {
      const amounts: unknown[] = [];
      for (const currency of ['JPY', 'KWD'])
        amounts.push(amountOf(await stage.begin({ currency }), 'subtotal'));
      return amounts;
    },
    is: [1900, 3900],
  },
  {
    what: 'mandates are ignored where they were not negotiated',
    ask: async (stage) => (await stage.begin({ ap2: { checkout_mandate: 'x' } })).status,
    is: 201,
  },
];

const discounts: readonly Behaviour[] = [
  {
    what: 'one code, 10 %',
    ask: async (stage) => amountOf(await withCodes(stage, 'TEN'), 'discount'),
    is: -100,
    isOlder: 100,
  },
  {
    what: 'two percentages, one after the other',
    ask: async (stage) => amountOf(await withCodes(stage, 'TEN', 'TWENTY'), 'discount'),
    is: -280,
    isOlder: 280,
  },
  {
    what: 'a fixed amount',
    ask: async (stage) => amountOf(await withCodes(stage, 'FIVE'), 'discount'),
    is: -500,
    isOlder: 500,
  },
  {
    what: 'a code that there is not',
    ask: async (stage) => {
      const { body } = await withCodes(stage, 'NONE');
      const warning = body.messages.find(({ type }: Body) => type === 'warning');
      return [warning.code, warning.path, body.discounts.applied];
    },
    is: ['discount_code_invalid', '$.discounts.codes[0]', []],
  },
];

const shipping: readonly Behaviour[] = [
  {
    what: 'a destination gets options, and is there again later',
    ask: async (stage) => {
      const begun = await stage.begin(atHome);
      const read = await stage.agent.get(stage.pathOf(begun));
      return [methodOf(begun).groups.length, methodOf(read).destinations[0].id];
    },
    is: [1, 'home'],
  },
  {
    what: 'a country that is not served',
    ask: async (stage) => {
      const far = { id: 'far', ...street, address_country: 'FR' };
      const method = sending({ destinations: [far], selected_destination_id: 'far' });
      const begun = await stage.begin(method, [['lamp', 1]]);
      return [begun.status, codeOf(begun)];
    },
    is: [201, 'address_undeliverable'],
  },
  {
    what: 'goods of two warehouses are one group',
    ask: async (stage) => {
      const lines = [
        ['mug', 1],
        ['lamp', 1],
      ] as const;
      const { groups } = methodOf(await stage.begin(atHome, lines));
      return groups.map(({ id, line_item_ids }: Body) => [id, line_item_ids.length]);
    },
    is: [['group_1', 2]],
  },
  {
    what: 'free shipping lowers the option, and is no discount',
    ask: async (stage) => {
      const begun = await stage.begin(atHome, [['mug', 20]]);
      const [option] = methodOf(begun).groups[0].options;
      const titled = /^Free /.test(option.title);
      return [titled, option.totals.at(-1).amount, amountOf(begun, 'discount')];
    },
    is: [true, 0, undefined],
  },
  {
    what: 'a known buyer’s address is saved, and offered',
    ask: async (stage) => {
      const buyer = { email: `known-${stage.version}@example.com`, first_name: 'Ada', last_name: 'Byron' };
      await stage.begin({ buyer, ...atHome });
      const again = await stage.begin({ buyer, ...sending({}) });
      return methodOf(again).destinations?.map(({ street_address }: Body) => street_address);
    },
    is: ['1 Low Street'],
  },
];

const payments: readonly Behaviour[] = [
  {
    what: 'a purchase',
    ask: async ({ buyer, ready }) => {
      const { status, body } = await buyer.complete(await ready());
      return [status, body.status, typeof body.order.id, typeof body.order.permalink_url];
    },
    is: [200, 'completed', 'string', 'string'],
  },
  {
    what: 'paid twice under one key: once',
    ask: async ({ buyer, ready }) => {
      const path = await ready();
      const key = newId();
      const one = await buyer.complete(path, 'tok_success', { key });
      const two = await buyer.complete(path, 'tok_success', { key });
      return [one.text === two.text, ...refusal(await buyer.complete(path))];
    },
    is: [true, 409, 'checkout_not_modifiable'],
  },
  {
    what: 'without a place and an option',
    ask: async (stage) => {
      const answer = await stage.buyer.complete(stage.pathOf(await stage.begin()));
      const says = textOf(answer).includes('Fulfillment address and option must be selected');
      return [...refusal(answer), says];
    },
    is: [400, 'fulfillment_required', true],
  },
  ...(
    [
      ['success_token', 200, undefined],
      ['fail_token', 402, 'payment_failed'],
      ['fraud_token', 403, 'payment_failed'],
    ] as const
  ).map(([token, status, code]) => ({
    what: `the test handler with ${token}`,
    ask: async ({ buyer, ready }: Stage) =>
      refusal(await buyer.complete(await ready(), token, { handler: 'mock_payment_handler' })),
    is: [status, code],
  })),
  {
    what: 'a handler that is none',
    ask: async ({ buyer, ready }) => refusal(await buyer.complete(await ready(), 'x', { handler: 'none' })),
    is: [400, 'invalid_payment_handler'],
  },
];

const orders: readonly Behaviour[] = [
  {
    what: 'the order, read: what is expected, and nothing sent yet',
    ask: async ({ buyer, agent, ready }) => {
      const { id } = (await buyer.complete(await ready(2))).body.order;
      const { status, body } = await agent.get(`/api/v1/orders/${id}`);
      const { expectations, events } = body.fulfillment;
      return [status, body.line_items[0].quantity.total, expectations.length, events ?? []];
    },
    is: [200, 2, 1, []],
  },
  {
    what: 'an order of another agent',
    ask: async ({ shop, buyer, ready, version }) => {
      const { id } = (await buyer.complete(await ready())).body.order;
      return refusal(await agentAt(shop.base, { name: 'stranger', version }).get(`/api/v1/orders/${id}`));
    },
    is: [404, 'not_found'],
  },
];

const bought = async ({ buyer, ready }: Stage): Promise<string> =>
  (await buyer.complete(await ready())).body.order.id;
const orderAt = (id: string): string => `/api/v1/orders/${id}`;

const tests: readonly Behaviour[] = [
  {
    what: 'a simulated shipment, with the secret alone',
    ask: async (stage) => {
      const id = await bought(stage);
      const ship = (secret: string) =>
        stage.agent.ask({
          ...{ method: 'POST', path: `/testing/simulate-shipping/${id}` },
          headers: { 'Simulation-Secret': secret },
        });
      const refused = await ship('wrong');
      const shipped = await ship('simulation');
      await stage.shop.settle();
      const { body } = await stage.agent.get(orderAt(id));
      return [refused.status, shipped.status, body.fulfillment.events.some(isShipped)];
    },
    is: [403, 200, true],
  },
  {
    what: 'an adjustment with a status that is none',
    ask: async (stage) => {
      const path = orderAt(await bought(stage));
      const { body } = await stage.agent.get(path);
      const adjustment = { id: 'a', type: 'refund', occurred_at: '2030-01-01T00:00:00Z', status: 'odd' };
      return (await stage.agent.put(path, { ...body, adjustments: [adjustment] })).status;
    },
    is: 422,
  },
];

/** In the order in which they are printed; each is asked in both versions. */
export const behaviours: readonly (readonly [title: string, rows: readonly Behaviour[]])[] = [
  ['Discovery', discovery],
  ['Sessions', sessions],
  ['Discounts', discounts],
  ['Shipping', shipping],
  ['Payment', payments],
  ['Orders', orders],
  ['What tests may do', tests],
  ['Notices and signatures', noticeBehaviours],
];
