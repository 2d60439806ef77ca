import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ApiResponse } from './browser.ts';
import { Customer, mailsIn, type LinkMail } from './member-shop.ts';
import { TestShop, type ShopAt, type TestShopOptions } from './shop.ts';

export const downloadsBase = '/api/shop/downloads';

/** How files are sold: as a product says it, and some are more than others. */
export interface SoldFiles {
  readonly files?: readonly string[];
  readonly maxDownloads?: number;
  readonly expiryDays?: number;
  readonly method?: 'InstantDownload' | 'EmailDelivered';
  readonly price?: number;
}

/** A member who has bought something to download. */
export interface Buyer {
  readonly customer: Customer;
  readonly email: string;
  readonly invoiceId: string;
  readonly paid: ApiResponse;
}

/** A folder for a shop whose files, and mails, it holds. */
export const downloadFolder = (): string => mkdtempSync(join(tmpdir(), 'tillroll-downloads-'));

/** Settings of such a shop. */
export const sellingFrom = (dataDir: string): Record<string, string> => ({
  DATA_DIR: dataDir,
  Storefront__trustedProxies: '1',
});

type ClosableShop = ShopAt & { close(): Promise<void> };

/** A shop that sells files; its data folder holds them, and its mails. */
export class DownloadShop<Shop extends ClosableShop = TestShop> {
  readonly shop: Shop;
  readonly dataDir: string;
  #buyers = 0;
  #products = 0;

  constructor(shop: Shop, dataDir: string) {
    this.shop = shop;
    this.dataDir = dataDir;
  }

  static async open(options: TestShopOptions = {}): Promise<DownloadShop> {
    const dataDir = downloadFolder();
    const environment = { ...sellingFrom(dataDir), ...options.environment };
    return new DownloadShop(await TestShop.open({ ...options, environment }), dataDir);
  }

  /** Puts a file into the folder of downloads. */
  store(path: string, content: string | Buffer = `This is ${path}.`): string {
    const file = join(this.dataDir, 'downloads', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  }

  /** Sells files; returns the id that storefront paths use. */
  sell({ files = ['book.pdf'], maxDownloads = 0, expiryDays, method, price = 5 }: SoldFiles = {}) {
    this.#products++;
    return this.shop.sell(`FILE-${this.#products}`, {
      price,
      isDigital: true,
      more: {
        digitalFileIds: files,
        maxDownloadsPerLink: maxDownloads,
        ...(expiryDays === undefined ? {} : { downloadLinkExpiryDays: expiryDays }),
        ...(method === undefined ? {} : { digitalDeliveryMethod: method }),
      },
    });
  }

  customer(): Customer {
    return new Customer(this.shop.base);
  }

  /** Somebody new who has an account and this in the basket, ready to pay. */
  async atTheTill(...productIds: readonly string[]): Promise<Omit<Buyer, 'paid'>> {
    const customer = this.customer();
    const [first = '', ...others] = productIds;
    this.#buyers++;
    const email = `buyer-${this.#buyers}@example.com`;
    await customer.register(email, first);
    for (const id of others) await customer.add(id);
    for (const step of [() => customer.initialize(), () => customer.pay()]) {
      const answer = await step();
      if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
      if (answer.body.invoiceId) return { customer, email, invoiceId: answer.body.invoiceId };
    }
    throw new Error('there is no invoice');
  }

  /** Somebody new who has bought this. */
  async bought(...productIds: readonly string[]): Promise<Buyer> {
    const buyer = await this.atTheTill(...productIds);
    const paid = await buyer.customer.payWith(buyer.invoiceId);
    if (paid.status !== 200 || !paid.body.success) throw new Error(`${paid.status}: ${paid.text}`);
    return { ...buyer, paid };
  }

  /** Every mail that has gone out, oldest first. */
  async mails(): Promise<readonly LinkMail[]> {
    await this.shop.settle();
    await this.shop.tester.post('/testing/jobs/send-mails');
    return mailsIn(this.dataDir);
  }

  async close(): Promise<void> {
    await this.shop.close();
    rmSync(this.dataDir, { recursive: true });
  }
}

/** What somebody may download of an invoice. */
export const linksOf = async ({
  customer,
  invoiceId,
}: Pick<Buyer, 'customer' | 'invoiceId'>): Promise<ApiResponse['body'][]> => {
  const answer = await customer.get(`${downloadsBase}/invoice/${invoiceId}`);
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
  return answer.body;
};
