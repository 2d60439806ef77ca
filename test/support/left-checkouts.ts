import { createRecoveryTokens } from '#runtime/recovery-tokens.ts';
import { abandonedCheckoutId } from '#values/abandoned-checkout.ts';
import type { Request } from './browser.ts';
import { get, withHeaders } from './requests.ts';
import { TestShop, type ShopAt, type Shopper, type TestShopOptions } from './shop.ts';

const HOUR_SECONDS = 3600;
const applicationKey = Buffer.alloc(32, 7);

/** Under which tests can tell the links of a shop, and ask as if from many addresses. */
export const knownLinks = {
  APPLICATION_KEY: applicationKey.toString('base64'),
  Storefront__trustedProxies: '1',
};

const tokens = createRecoveryTokens(applicationKey);

let addresses = 0;

/** The same request from an address that has asked for nothing yet. */
export const fromElsewhere = (request: Request): Request => {
  addresses += 1;
  return withHeaders({ 'X-Forwarded-For': `198.51.${addresses >> 8}.${addresses & 0xff}` }, request);
};

export const recoverBy = (token: string): Request =>
  fromElsewhere(get(`/api/shop/checkout/recover/${token}`));
export const validate = (token: string): Request =>
  fromElsewhere(get(`/api/shop/checkout/recover/${token}/validate`));

/** The token of a basket's record: of its first link, or a later one. */
export const recoveryTokenOf = (basketId: string, issue = 1): string =>
  tokens.tokenOf({ recordId: abandonedCheckoutId(basketId), issue });

/** Time passes, and the job runs. */
export const hoursLater = async (shop: ShopAt, hours: number): Promise<void> => {
  await shop.tester.post('/testing/clock', { advanceSeconds: hours * HOUR_SECONDS });
  await shop.settle();
  const { status, text } = await shop.tester.post('/testing/jobs/detect-abandoned');
  if (status !== 200) throw new Error(text);
  await shop.settle();
};

/** A shop in which checkouts are left behind. */
export class LeftCheckouts {
  readonly shop: TestShop;
  readonly mug: string;

  private constructor(shop: TestShop, mug: string) {
    this.shop = shop;
    this.mug = mug;
  }

  static async open(options: TestShopOptions = {}): Promise<LeftCheckouts> {
    const environment = { ...knownLinks, ...options.environment };
    const shop = await TestShop.open({ ...options, environment });
    return new LeftCheckouts(shop, await shop.sell('mug', { price: 10, stock: 1000 }));
  }

  /** A shopper with so many mugs, who has given their addresses. */
  async shopping(email = 'ada@example.com', mugs = 2): Promise<Shopper> {
    const shopper = this.shop.shopper();
    await shopper.prepare(this.mug, mugs, email);
    return shopper;
  }

  hoursPass = (hours: number) =>
    this.shop.tester.post('/testing/clock', { advanceSeconds: hours * HOUR_SECONDS });

  /** Runs the job. */
  detect = (): Promise<void> => hoursLater(this.shop, 0);

  /** A basket that was left and found abandoned. */
  async left(email?: string, mugs?: number): Promise<{ readonly basketId: string; readonly token: string }> {
    const { basketId } = await this.shopping(email, mugs);
    await hoursLater(this.shop, 1);
    return { basketId, token: recoveryTokenOf(basketId) };
  }

  close = (): Promise<void> => this.shop.close();
}
