import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ShopProcess } from '../support/shop-process.ts';
import { Browser } from '../support/browser.ts';
import { ShopAt } from '../support/shop.ts';
import type { Target } from './attack.ts';

const FOLLOWED_WITHIN_MS = 300;

/** A shop that somebody else runs: nobody there tells when everything has followed the log. */
export class HostedShop extends ShopAt {
  override readonly admin: Browser;

  constructor(base: string, apiKey: string) {
    super(base);
    this.admin = new Browser(base, { Authorization: `Bearer ${apiKey}` });
  }

  override async settle(): Promise<void> {
    await pause(FOLLOWED_WITHIN_MS);
  }
}

export interface OpenTarget extends Target {
  close(): Promise<void>;
}

/** A shop that is already there; goods of its own are attacked where it may be furnished with a place for them. */
export const hostedTarget = async (url: string, key: string, isFurnished: boolean): Promise<OpenTarget> => {
  const base = url.replace(/\/+$/, '');
  const shop = new HostedShop(base, key);
  const answer = await shop.admin.get('/backoffice/api/v1/tax-groups');
  if (answer.status !== 200) throw new Error(`${base} does not accept the key: ${answer.status}`);
  if (isFurnished) await shop.furnish();
  return { url: base, shop, own: null, close: () => Promise.resolve() };
};

/** The shop as `npm start` opens it, on a data folder that did not exist, and the means of tests beside. */
export const ownTarget = async (): Promise<OpenTarget> => {
  const folder = mkdtempSync(join(tmpdir(), 'tillroll-hostile-'));
  const dataDir = join(folder, 'data');
  // What tests set for their crowds is left at its default here.
  const env = {
    DATA_DIR: dataDir,
    Checkout__OpenInvoicesPerAddress: undefined,
    Checkout__HeldUnitsPerAddress: undefined,
  };
  const shop = await ShopProcess.open({ env });
  // Also when somebody interrupts.
  const remove = (): void => {
    for (const made of [folder, shop.dataDir]) rmSync(made, { recursive: true, force: true });
  };
  process.once('exit', remove);
  await shop.furnish();
  return {
    url: `http://127.0.0.1:${shop.port}`,
    shop,
    own: {
      dataDir,
      advance: async (advanceSeconds) => {
        const { status } = await shop.tester.post('/testing/clock', { advanceSeconds });
        if (status !== 200) throw new Error(`the shop's clock answered ${status}`);
      },
      runJob: async (name) => (await shop.tester.post(`/testing/jobs/${name}`)).status === 200,
    },
    close: async () => {
      await shop.close();
      remove();
    },
  };
};
