import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiResponse, Method } from './browser.ts';
import { typedAddresses } from './builders/address.ts';
import { Shopper, TESTING_SECRET, TestShop, type TestShopOptions } from './shop.ts';

export const goodPassword = 'correct horse battery';

const accounts = '/api/shop/checkout';

const succeeded = (answer: ApiResponse): ApiResponse => {
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
  return answer;
};

/** A shopper who may have an account. */
export class Customer extends Shopper {
  /** As if they asked from this address. */
  from = '203.0.113.1';

  asks = (path: string, body?: object): Promise<ApiResponse> =>
    this.post(`${accounts}${path}`, body, { 'X-Forwarded-For': this.from });
  signIn = (email: string, password = goodPassword) => this.asks('/sign-in', { email, password });
  signOut = () => this.asks('/sign-out');
  addresses = (changes: Parameters<typeof typedAddresses>[0] = {}) =>
    this.asks('/addresses', typedAddresses(changes));
  /** An account, made at the checkout of a basket with this product in it, that has not proven its address. */
  async enter(email: string, productId: string, password = goodPassword): Promise<ApiResponse> {
    await this.add(productId);
    return succeeded(await this.addresses({ email, password }));
  }
  /** Below the account, as from that address. */
  account = (method: Method, path: string, body?: object): Promise<ApiResponse> =>
    this.call(method, `/api/shop/account${path}`, body, { 'X-Forwarded-For': this.from });
  /** An account that has not proven its address, and is signed in to; without a basket. */
  async signUp(email: string, password = goodPassword, more: object = {}): Promise<void> {
    succeeded(await this.account('POST', '/register', { email, password, name: 'Ada Lovelace', ...more }));
    const { body } = succeeded(await this.signIn(email, password));
    if (!body.success) throw new Error(body.message);
  }
  /** Opens the link of a mail to this account, and stays signed in. */
  async prove(email: string, newPassword = goodPassword): Promise<void> {
    const secret = { 'Testing-Secret': TESTING_SECRET };
    const { body } = succeeded(await this.post('/testing/member-links', { email }, secret));
    succeeded(await this.asks('/confirm-email', { email, token: body.token, newPassword }));
  }
  /** An account, made at the checkout of a basket with this product in it, whose address is proven. */
  async register(email: string, productId: string, password = goodPassword): Promise<ApiResponse> {
    const answer = await this.enter(email, productId, password);
    await this.prove(email, password);
    return answer;
  }
}

/** A mail as its file has it (docs/rules/mail-deliveries.md#files). */
interface FileMail {
  readonly id: string;
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly dateCreated: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A mail with a link, and what the link carries. */
export interface LinkMail extends FileMail {
  readonly link: URL;
  readonly token: string;
}

/** A shop whose mails are files, behind a proxy that says where shoppers are. */
export interface MemberShop {
  readonly shop: TestShop;
  readonly customer: () => Customer;
  /** Every mail that has gone out, oldest first. */
  readonly mails: () => Promise<readonly LinkMail[]>;
  readonly close: () => Promise<void>;
}

export const mailsIn = (dataDir: string): readonly LinkMail[] => {
  const folder = join(dataDir, 'mails');
  const names = readdirSync(folder, { withFileTypes: true }).map(({ name }) => name);
  const mails = names.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as FileMail);
  return mails
    .toSorted((one, other) => one.dateCreated.localeCompare(other.dateCreated))
    .map((mail) => {
      const link = new URL(/http\S+/.exec(mail.text)?.[0] ?? 'http://none');
      return { ...mail, link, token: link.searchParams.get('token') ?? '' };
    });
};

export const openMemberShop = async (options: TestShopOptions = {}): Promise<MemberShop> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tillroll-members-'));
  const environment = { DATA_DIR: dataDir, Storefront__trustedProxies: '1', ...options.environment };
  const shop = await TestShop.open({ ...options, environment });
  return {
    shop,
    customer: () => new Customer(shop.base),
    mails: async () => {
      await shop.settle();
      return readdirSync(dataDir).includes('mails') ? mailsIn(dataDir) : [];
    },
    close: async () => {
      await shop.close();
      rmSync(dataDir, { recursive: true });
    },
  };
};
