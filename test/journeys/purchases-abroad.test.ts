import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { DistributedShop, sharedMemory } from '#test/support/distributed-shop.ts';
import { useShopOn } from '#test/support/service-processes.ts';
import { onServers } from '#test/support/shared-engines.ts';
import { TestShop, type ShopAt } from '#test/support/shop.ts';
import { allPurchases, oneOfEachKind } from './purchases/all-purchases.ts';
import { dollars, furnishMugShop } from './purchases/mug-shop.ts';
import { openDownloads } from './purchases/download-purchases.ts';
import { walk } from './purchases/walk.ts';

/** What `npm run journeys` prints, in a shop that sells in dollars. */
const areMadeIn = (shop: () => ShopAt, dataDir: string, purchases = allPurchases): void => {
  let sell: Awaited<ReturnType<typeof furnishMugShop>>;
  before(async () => {
    sell = await furnishMugShop(shop());
  });
  for (const [index, purchase] of purchases.entries())
    it(purchase.title, async () => {
      const walked = await walk(shop(), { ...(await sell(`MUG-${index}`)), dataDir }, purchase);
      const at = walked.map(({ method, path }) => `${method} ${path}`);
      expect(walked.map(({ answered }, step) => ({ at: at[step], ...answered }))).to.deep.equal(
        walked.map(({ expected }, step) => ({ at: at[step], ...expected })),
      );
    });
};

describe('Purchases in other currencies than the store’s, and with discounts', () => {
  const files = openDownloads();
  after(() => files.remove());

  describe('on files of its own', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tillroll-purchases-'));
    let shop: TestShop;
    before(async () => {
      const file = (name: string): string => `sqlite:${join(folder, name)}`;
      const environment = {
        EVENT_STORE: file('events.db'),
        READ_STORE: file('read.db'),
        STATE_STORE: file('state.db'),
        BUS: file('bus.db'),
        ALLOW_LOOPBACK_TARGETS: 'true',
        DATA_DIR: files.dataDir,
      };
      shop = await TestShop.open({ settings: dollars, environment });
    });
    after(async () => {
      await shop.close();
      rmSync(folder, { recursive: true, force: true });
    });
    areMadeIn(() => shop, files.dataDir);
  });

  describe('with two command processes in one memory', () => {
    let shop: DistributedShop;
    before(async () => {
      const replicas = { command: 2 };
      const environment = { DATA_DIR: files.dataDir };
      const engines = sharedMemory().open;
      shop = await DistributedShop.open({ engines, replicas, settings: dollars, environment });
    });
    after(() => shop.close());
    areMadeIn(() => shop, files.dataDir);
  });
});

onServers((servers) => {
  describe('Purchases in other currencies than the store’s, and with discounts, on servers', () => {
    const files = openDownloads();
    after(() => files.remove());
    const env = {
      Store__storeCurrencyCode: 'USD',
      Store__defaultShippingCountry: 'US',
      DATA_DIR: files.dataDir,
    };
    const at = useShopOn(() => servers, { replicas: { command: 2 }, env });
    areMadeIn(() => at.shop, files.dataDir, oneOfEachKind);
  });
});
