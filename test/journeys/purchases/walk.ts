import { setTimeout as delay } from 'node:timers/promises';
import type { ApiResponse, Method, Request } from '#test/support/browser.ts';
import type { ShopAt } from '#test/support/shop.ts';
import { startFulfilmentServer, type FulfilmentServer } from '#test/support/fulfilment-server.ts';
import { startAdvertiser, type Advertiser } from '#test/support/referrals.ts';
import type { Mug } from './mug-shop.ts';

/** What is known before the first step. */
export interface Offered extends Mug {
  /** The shop's, in which it leaves its mails. */
  readonly dataDir: string;
}

/** What the steps before have told: the mug that is for sale, the line that it became, the invoice. */
export interface Known extends Offered {
  readonly lineItemId: string;
  readonly invoiceId: string;
  /** Where the payer goes on at the provider. */
  readonly sessionId: string;
  /** Who has sent the shopper. */
  readonly advertiser: Advertiser;
  /** Who sends for the shop. */
  readonly server: FulfilmentServer;
}

/** One request of a purchase, and what has to come of it. */
export interface PurchaseStep {
  /** A provider calls; a tester moves the shop's clock and runs its jobs. */
  readonly by: 'shopper' | 'staff' | 'provider' | 'tester';
  readonly ask: (known: Known) => Request | Promise<Request>;
  readonly status: number;
  /** The money of the answer, as people read it. */
  readonly read: (body: ApiResponse['body']) => string;
  readonly money: string;
  /** The shop does it in the background: it is asked for until it is so, or for ten seconds. */
  readonly isBackground?: boolean;
  /** What somebody else does while this is under way. */
  readonly beside?: (known: Known, shop: ShopAt) => Promise<void>;
}

export interface Purchase {
  readonly title: string;
  readonly steps: readonly PurchaseStep[];
}

export interface Walked {
  readonly method: Method;
  readonly path: string;
  readonly expected: { readonly status: number; readonly money: string };
  readonly answered: { readonly status: number; readonly money: string };
}

const learn = (known: Known, { body }: ApiResponse): Known => {
  const { id } = (body.basket ?? body).lineItems?.[0] ?? { id: known.lineItemId };
  return {
    ...known,
    lineItemId: id,
    invoiceId: body.invoiceId ?? known.invoiceId,
    sessionId: body.sessionId ?? known.sessionId,
  };
};

/** Makes a purchase in a shop, step by step; a step that goes wrong keeps no later one from being tried. */
export const walk = async (
  shop: ShopAt,
  offered: Offered,
  purchase: Purchase,
): Promise<readonly Walked[]> => {
  const advertiser = await startAdvertiser(() => Date.now());
  const server = await startFulfilmentServer();
  try {
    const nothingYet = { lineItemId: '', invoiceId: '', sessionId: '' };
    return await walkWith(shop, { ...offered, ...nothingYet, advertiser, server }, purchase);
  } finally {
    await Promise.all([advertiser.close(), server.close()]);
  }
};

const BACKGROUND_MS = 10_000;
const AGAIN_MS = 100;

const isDone = (answer: ApiResponse, { status, read, money }: PurchaseStep): boolean =>
  answer.status === status && read(answer.body) === money;

/** Waits until everything that follows the log has passed its head, once after each thing that was done. */
const settling = (shop: ShopAt) => {
  let isSettled = false;
  return {
    settle: async (): Promise<void> => {
      if (!isSettled) await shop.settle();
      isSettled = true;
    },
    disturb: (): void => void (isSettled = false),
  };
};

/** Staff look at read models, and set what shoppers are shown. */
const askStaff = async (
  shop: ShopAt,
  { settle, disturb }: ReturnType<typeof settling>,
  request: Request,
  step: PurchaseStep,
): Promise<ApiResponse> => {
  const until = Date.now() + (step.isBackground ? BACKGROUND_MS : 0);
  for (;;) {
    await settle();
    const answer = await shop.admin.ask(request);
    if (request.method !== 'GET') disturb();
    await settle();
    if (isDone(answer, step) || Date.now() >= until) return answer;
    await delay(AGAIN_MS);
    disturb();
  }
};

const walkWith = async (shop: ShopAt, start: Known, { steps }: Purchase): Promise<readonly Walked[]> => {
  const shopper = shop.shopper();
  const callers = { shopper, provider: shop.tester, tester: shop.tester };
  const rest = settling(shop);
  const walked: Walked[] = [];
  let known = start;
  for (const step of steps) {
    const { by, ask, status, read, money } = step;
    const request = await ask(known);
    // Jobs work by what the shop has read of its log.
    if (by === 'tester') await rest.settle();
    const asking = by === 'staff' ? askStaff(shop, rest, request, step) : callers[by].ask(request);
    const [answer] = await Promise.all([asking, step.beside?.(known, shop)]);
    if (by !== 'staff' || step.beside) rest.disturb();
    known = learn(known, answer);
    const answered = { status: answer.status, money: answer.status < 300 ? read(answer.body) : '' };
    walked.push({ method: request.method, path: request.path, expected: { status, money }, answered });
  }
  return walked;
};
