import { BuyingAgent } from '#test/support/agents/buying-agent.ts';
import { agentAt, sessionsPath, wanting } from '#test/support/agents/asking-agent.ts';
import type { DatedVersion } from '#test/support/agents/answer-schemas.ts';
import type { ApiResponse, Browser } from '#test/support/browser.ts';
import { startNoticeInbox, type NoticeInbox } from '#test/support/agents/notice-inbox.ts';
import { manage } from '#test/support/requests.ts';
import { TestShop } from '#test/support/shop.ts';

export type Body = ApiResponse['body'];

/** One agent in a shop, in one version of the protocol. */
export interface Stage {
  readonly shop: TestShop;
  readonly version: DatedVersion;
  readonly agent: Browser;
  readonly buyer: BuyingAgent;
  /** Mugs, ready to be paid for; without a number, one. */
  readonly ready: (quantity?: number) => Promise<string>;
  /** A session of one mug and whatever else is said. */
  readonly begin: (more?: object, lines?: readonly (readonly [string, number])[]) => Promise<ApiResponse>;
  readonly pathOf: (answer: ApiResponse) => string;
  /** Has a profile of its own, and is told of its orders. */
  readonly told: NoticeInbox;
  readonly toldBuyer: BuyingAgent;
}

/** What agents count on, and how the shop answers in a version. */
export interface Behaviour {
  readonly what: string;
  readonly ask: (stage: Stage) => Promise<unknown>;
  /** The same in both versions, or by their names. */
  readonly is: unknown;
  readonly isOlder?: unknown;
}

const environment = {
  ALLOW_LOOPBACK_TARGETS: 'true',
  Protocol__Ucp__TestEndpoints__Enabled: 'true',
  Protocol__Ucp__TestEndpoints__SimulationSecret: 'simulation',
  Protocol__Ucp__StoredAddressInjection: 'all',
  Protocol__Ucp__RateLimits__UnsignedPerAddressPerMinute: '0',
};

/** A shop in pounds: mugs, lamps sent from elsewhere and within Britain alone, codes, free shipping from 100, rates. */
export const openAgentShop = async (): Promise<TestShop> => {
  const shop = await TestShop.open({ environment });
  await shop.sell('mug', { price: 10, stock: 5000 });
  await shop.sell('gone', { price: 10, stock: 0 });
  const regions = { serviceRegions: [{ countryCode: 'GB' }] };
  const leeds = await shop.admin.ask(
    manage.post('/warehouses', { name: 'Leeds', address: { countryCode: 'GB' }, ...regions }),
  );
  const { id: warehouseId } = leeds.body;
  await shop.admin.ask(manage.post('/shipping-options', { warehouseId, name: 'Van', fixedCost: 3 }));
  await shop.sell('lamp', { price: 20, more: { warehouses: [{ warehouseId }] } });
  const offer = { method: 'Code', canCombineWithOrderDiscounts: true };
  await shop.rule('Ten', { ...offer, code: 'TEN', value: 10, priority: 1 });
  await shop.rule('Twenty', { ...offer, code: 'TWENTY', value: 20, priority: 2 });
  await shop.rule('Five pounds', { method: 'Code', code: 'FIVE', valueType: 'FixedAmount', value: 5 });
  await shop.rule('From 100', {
    ...{ category: 'FreeShipping', valueType: 'Free', requirementType: 'MinimumPurchaseAmount' },
    ...{ requirementValue: 100, freeShipping: { countryScope: 'AllCountries' } },
  });
  const rates = { configuration: { rates: { JPY: 190, KWD: 0.39 } } };
  await shop.admin.ask(manage.put('/exchange-rate-providers/manual/settings', rates));
  await shop.settle();
  return shop;
};

export const stageIn = async (shop: TestShop, version: DatedVersion): Promise<Stage> => {
  const name = `in-${version}`;
  const agent = agentAt(shop.base, { name, version });
  const buyer = new BuyingAgent(shop.base, { name, version });
  const told = await startNoticeInbox(shop.tester);
  return {
    told,
    toldBuyer: new BuyingAgent(shop.base, { version, profile: told.profile }),
    shop,
    version,
    agent,
    buyer,
    ready: async (quantity = 1) => (await buyer.begin(['mug', quantity])).path,
    begin: (more = {}, lines = [['mug', 1]]) =>
      agent.post(sessionsPath, { line_items: wanting(...lines), ...more }),
    pathOf: ({ body }) => `${sessionsPath}/${body.id}`,
  };
};
