import type { ApiResponse } from './browser.ts';
import {
  FULFILMENT_KEY,
  FULFILMENT_SECRET,
  startFulfilmentServer,
  type FulfilmentServer,
} from './fulfilment-server.ts';
import { manage } from './requests.ts';
import { TestShop, type ShopAt, type TestShopOptions } from './shop.ts';

/** A shop whose warehouse belongs to somebody else, who sends from there. */
export interface FulfillingShop {
  readonly shop: TestShop;
  readonly server: FulfilmentServer;
  readonly configurationId: string;
  readonly warehouseId: string;
  readonly mug: string;
  /** Buys a number of mugs; the invoice's id. */
  buy(quantity?: number): Promise<string>;
  /** The invoice as the backoffice shows it. */
  invoice(invoiceId: string): Promise<ApiResponse['body']>;
  orderOf(invoiceId: string): Promise<ApiResponse['body']>;
  /** The shop's clock goes on, and the job runs. */
  wait(minutes: number, job?: string): Promise<ApiResponse['body']>;
  close(): Promise<void>;
}

const sent = async (answer: Promise<ApiResponse>): Promise<ApiResponse['body']> => {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body;
};

/** Has the first warehouse of a shop send through a provider, by default through the house. */
export const sendThrough = async (
  { admin }: ShopAt,
  server: FulfilmentServer,
  configuration: object = {},
  providerKey = 'generic-http',
): Promise<{ readonly configurationId: string; readonly warehouseId: string }> => {
  const settings = {
    baseUrl: server.url,
    apiKey: FULFILMENT_KEY,
    webhookSecret: FULFILMENT_SECRET,
    timeoutSeconds: 2,
    ...configuration,
  };
  const given = providerKey === 'generic-http' ? settings : configuration;
  const provider = { providerKey, configuration: given };
  const { id } = await sent(admin.ask(manage.post('/fulfilment-providers', provider)));
  const [warehouse] = (await sent(admin.ask(manage.get('/warehouses')))).items as [{ id: string }];
  const changes = { fulfilmentProviderConfigurationId: id };
  await sent(admin.ask(manage.put(`/warehouses/${warehouse.id}`, changes)));
  return { configurationId: id, warehouseId: warehouse.id };
};

export const openFulfillingShop = async (
  options: TestShopOptions = {},
  configuration: object = {},
  providerKey = 'generic-http',
): Promise<FulfillingShop> => {
  const environment = { ALLOW_LOOPBACK_TARGETS: 'true', ...options.environment };
  const shop = await TestShop.open({ ...options, environment });
  const server = await startFulfilmentServer();
  const { admin } = shop;
  const { configurationId, warehouseId } = await sendThrough(shop, server, configuration, providerKey);
  const mug = await shop.sell('mug', { price: 10, stock: 50 });
  await shop.settle();
  const invoice = (invoiceId: string) => sent(admin.ask(manage.get(`/orders/${invoiceId}`)));
  return {
    shop,
    server,
    configurationId,
    warehouseId,
    mug,
    buy: async (quantity = 1) => {
      const shopper = shop.shopper();
      await shopper.prepare(mug, quantity, 'ada@example.com');
      const { invoiceId } = await sent(shopper.pay());
      await sent(shopper.payWith(invoiceId));
      await shop.settle();
      return invoiceId as string;
    },
    invoice,
    orderOf: async (invoiceId) => (await invoice(invoiceId)).orders[0],
    wait: async (minutes, job = 'fulfilment-retry') => {
      await sent(shop.tester.post('/testing/clock', { advanceSeconds: minutes * 60 }));
      const summary = await sent(shop.tester.post(`/testing/jobs/${job}`));
      await shop.settle();
      return summary;
    },
    close: async () => {
      await server.close();
      await shop.close();
    },
  };
};
