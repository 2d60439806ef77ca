import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { openShop, type Shop } from '../../tillroll.ts';
import { listen, type HttpServer } from '#http/server.ts';
import type { EventStore } from '#ports/event-store.ts';
import { loadConfig, type Config } from '#runtime/config.ts';
import { loadKeys } from '#runtime/keys.ts';
import { silentLogger } from '#runtime/logging.ts';
import type { PasswordCost } from '#runtime/passwords.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import { Browser, type ApiResponse } from './browser.ts';
import { typedAddress } from './builders/address.ts';
import {
  add,
  applyCode,
  changeLine,
  giveAddresses,
  initialize,
  manage,
  pay,
  payInvoice,
  selectShipping,
  showBasket,
  type Step,
} from './requests.ts';
import { misfitsOf } from './fitting-topics.ts';
import { scene } from './scene.ts';
import { eventsIn } from './shop-log.ts';
import { openEngines } from '../../shared-kernel/open-engines.ts';

/** A shopper who knows the way through the shop. */
export class Shopper extends Browser {
  /** The basket whose signed cookie the shopper holds; '' without one. */
  get basketId(): string {
    return this.cookies.get('shop_basket')?.split('.')[0] ?? '';
  }

  add = (productId: string, quantity = 1) => this.ask(add(productId, quantity));
  basket = () => this.ask(showBasket());
  update = (lineItemId: string, quantity: number) => this.ask(changeLine({ lineItemId, quantity }));
  giveAddress = (email?: string, billingAddress: object = typedAddress()) =>
    this.ask(giveAddresses({ ...(email === undefined ? {} : { email }), billingAddress }));
  initialize = (countryCode = 'GB') => this.ask(initialize({ countryCode }));
  selectShipping = (selections: Record<string, string>) => this.ask(selectShipping({ selections }));
  applyCode = (code: string) => this.ask(applyCode(code));
  pay = (headers?: Record<string, string>) => this.ask({ ...pay(), ...(headers ? { headers } : {}) });
  payWith = (invoiceId: string, paymentMethodToken = 'tok_success', headers?: Record<string, string>) =>
    this.ask({ ...payInvoice(invoiceId, { paymentMethodToken }), ...(headers ? { headers } : {}) });

  /** From an empty basket to a basket that can be paid. */
  async prepare(productId: string, quantity = 1, email?: string): Promise<void> {
    for (const step of [
      () => this.add(productId, quantity),
      () => this.giveAddress(email),
      () => this.initialize(),
    ]) {
      const answer = await step();
      if (answer.status !== 200) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
    }
  }
}

export interface Goods {
  readonly price: number;
  /** Units in the one warehouse; left out: sells without limit. */
  readonly stock?: number;
  readonly isDigital?: boolean;
  /** Of one unit. */
  readonly weightKg?: number;
  /** As the management API takes them. */
  readonly options?: readonly object[];
  /** Whatever else the management API takes. */
  readonly more?: object;
}

export interface TestShopOptions {
  readonly settings?: Partial<StoreSettings>;
  /** Further settings. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Puts something between the shop and its log. */
  readonly wrapStore?: (store: EventStore) => EventStore;
  /** What is configured otherwise than in other tests. */
  readonly config?: Partial<Config>;
  /** Default: silent. */
  readonly log?: Logger;
}

interface SandboxCharge {
  readonly invoiceId: string;
  readonly amount: number;
  readonly idempotencyKey: string;
  readonly status: string;
}

/** Some hundred times less than in a shop that is not for tests. */
export const lowCost: PasswordCost = { logN: 8, r: 8, p: 1 };

export const TESTING_SECRET = 'testing-secret';
export const API_KEY = 'a-backoffice-key-for-tests';

/** Settings under which a shop keeps nothing and sells in pounds. */
export const testEnvironment = (settings: Partial<StoreSettings> = {}): Record<string, string> => ({
  DATA_DIR: '/nowhere',
  EVENT_STORE: 'memory:',
  READ_STORE: 'memory:',
  STATE_STORE: 'memory:',
  BUS: 'memory:',
  STORE_FILE: 'none',
  LOG_LEVEL: 'silent',
  TESTING_SECRET,
  BACKOFFICE_API_KEY: API_KEY,
  APPLICATION_KEY: randomBytes(32).toString('base64'),
  // Everybody shops from one address here.
  Checkout__OpenInvoicesPerAddress: '0',
  Checkout__HeldUnitsPerAddress: '0',
  Checkout__NewCustomersPerMinute: '0',
  Store__newBasketsPerMinute: '0',
  Storefront__KeptAnswersPerMinute: '0',
  Store__storeCurrencyCode: 'GBP',
  Store__defaultShippingCountry: 'GB',
  ...Object.fromEntries(Object.entries(settings).map(([name, value]) => [`Store__${name}`, String(value)])),
});

/** A shop behind an address, with one warehouse in Hull and 20 % tax in GB once it is furnished. */
export class ShopAt {
  readonly admin: Browser;
  readonly tester: Browser;
  /** Without a slash at the end. */
  readonly base: string;
  #warehouseId = '';
  #taxGroupId = '';

  constructor(base: string, apiKey = API_KEY) {
    this.base = base;
    this.admin = new Browser(base, { Authorization: `Bearer ${apiKey}` });
    this.tester = new Browser(base, { 'Testing-Secret': TESTING_SECRET });
  }

  shopper(): Shopper {
    return new Shopper(this.base);
  }

  /** Puts a product on sale; returns the id that storefront paths use. */
  async sell(
    sku: string,
    { price, stock, weightKg, options = [], isDigital = false, more = {} }: Goods,
  ): Promise<string> {
    const rows = stock === undefined ? [] : [{ warehouseId: this.#warehouseId, stock }];
    const body = {
      rootName: `Product ${sku}`,
      sku,
      price,
      taxGroupId: this.#taxGroupId,
      warehouses: isDigital ? [] : [{ warehouseId: this.#warehouseId }],
      isDigitalProduct: isDigital,
      stock: rows,
      options,
      ...(weightKg === undefined ? {} : { packages: [{ weight: weightKg }] }),
      ...more,
    };
    const { variants } = await this.#create('/products', body);
    return (variants as { id: string }[])[0]?.id ?? '';
  }

  discount(code: string, percent: number, totalUsageLimit?: number): Promise<string> {
    const limit = totalUsageLimit ? { totalUsageLimit } : {};
    return this.rule(code, { method: 'Code', code, value: percent, ...limit });
  }

  /** A discount; an automatic percentage off the order, but for what is said. */
  async rule(name: string, changes: object): Promise<string> {
    const rule = { category: 'AmountOffOrder', method: 'Automatic', valueType: 'Percentage', value: 10 };
    return (await this.#create('/discounts', { name, ...rule, ...changes })).id as string;
  }

  /** Subscribes a receiver; returns the secret that signs what it gets. */
  async subscribe(topic: string, targetUrl: string, name = topic): Promise<string> {
    const subscription = { name, topic, targetUrl, authType: 'HmacSha256' };
    return (await this.#create('/webhooks', subscription)).secret as string;
  }

  /** So many subscriptions of one receiver. */
  async subscribeTimes(times: number, topic: string, targetUrl: string): Promise<void> {
    const subscription = { topic, targetUrl, authType: 'HmacSha256' };
    const names = Array.from({ length: times }, (_, index) => `${topic} ${index}`);
    await Promise.all(names.map((name) => this.#post('/webhooks', { ...subscription, name })));
    await this.settle();
  }

  /** Waits until everything that follows the log has passed its head. */
  async settle(): Promise<void> {
    const { status, body } = await this.tester.post('/testing/settle');
    if (status !== 200) throw new Error(JSON.stringify(body));
  }

  /** All that the sandbox has charged, or what it has charged for one invoice. */
  async charges(invoiceId?: string): Promise<readonly SandboxCharge[]> {
    const charges: readonly SandboxCharge[] = (await this.tester.get('/testing/sandbox-charges')).body;
    return invoiceId === undefined ? charges : charges.filter((charge) => charge.invoiceId === invoiceId);
  }

  /** What staff see at a path of the management API once everything has come to rest. */
  async shown(path: string): Promise<ApiResponse['body']> {
    await this.settle();
    const { status, body, text } = await this.admin.ask(manage.get(path));
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return body;
  }

  async furnish(): Promise<void> {
    this.#taxGroupId = (await this.#create('/tax-groups', { name: 'VAT', taxPercentage: 20 })).id as string;
    const address = { countryCode: 'GB' };
    this.#warehouseId = (await this.#create('/warehouses', { name: 'Hull', address })).id as string;
    const option = { name: 'Parcel', warehouseId: this.#warehouseId, fixedCost: 5 };
    await this.#create('/shipping-options', option);
  }

  async #create(path: string, body: object): Promise<Record<string, unknown>> {
    const made = await this.#post(path, body);
    await this.settle();
    return made;
  }

  async #post(path: string, body: object): Promise<Record<string, unknown>> {
    const answer = await this.admin.ask(manage.post(path, body));
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as Record<string, unknown>;
  }
}

/** A whole shop on memory engines behind a real port, furnished. */
export class TestShop extends ShopAt {
  readonly shop: Shop;
  readonly #server: HttpServer;

  private constructor(shop: Shop, server: HttpServer) {
    super(`http://127.0.0.1:${server.port}`);
    this.shop = shop;
    this.#server = server;
  }

  static async open({
    settings = {},
    environment = {},
    wrapStore = (store) => store,
    config: changes = {},
    log = silentLogger(),
  }: TestShopOptions = {}): Promise<TestShop> {
    const config = { ...loadConfig({ env: { ...testEnvironment(settings), ...environment } }), ...changes };
    const engines = await openEngines(config.engines);
    const shop = await openShop({
      config,
      keys: loadKeys(config),
      engines: { ...engines, store: wrapStore(engines.store) },
      log,
      passwordCost: lowCost,
    });
    await shop.prepare();
    const testShop = new TestShop(shop, await listen(shop.app, 0, '127.0.0.1'));
    await testShop.furnish();
    return testShop;
  }

  /** A new shopper who has asked for all this. */
  given(...steps: readonly Step[]): ReturnType<typeof scene> {
    const stage = { log: this.shop.runtime.store, settle: () => this.settle() };
    return scene(stage, this.shopper(), steps);
  }

  /** Whatever has happened there: what it announces fits the schemas of its topics. */
  async close(): Promise<void> {
    const misfits = misfitsOf(await eventsIn(this));
    await this.#server.stop();
    await this.shop.stop();
    if (misfits.length > 0) throw new Error(misfits.join('\n'));
  }
}
