import { readFileSync } from 'node:fs';
import type { ApiResponse } from '../support/browser.ts';
import type { ShopAt, Shopper } from '../support/shop.ts';

/** A shop that this command has started, with what only its owner has. */
export interface OwnShop {
  readonly dataDir: string;
  /** Moves the shop's clock on. */
  advance(seconds: number): Promise<void>;
  /** Runs a job once, now. False: there is no such job. */
  runJob(name: string): Promise<boolean>;
}

/** What is attacked. */
export interface Target {
  /** `http://…` without a slash at the end. */
  readonly url: string;
  readonly shop: ShopAt;
  /** Null where somebody else runs the shop. */
  readonly own: OwnShop | null;
}

export interface Finding {
  /** What happens, in a few words. */
  readonly now: string;
  readonly held: boolean;
}

/** One way to take from the shop or to stop it. Each file in `attacks/` exports one as `attack`. */
export interface Attack {
  readonly title: string;
  /** What could be done before it was mended. */
  readonly before: string;
  /**
   * `harmless` changes nothing that stays; `destructive` leaves goods, orders or settings behind, or holds up a shop
   * that does not resist; `own` needs the clock or the files of a shop that this command has started.
   */
  readonly kind: 'harmless' | 'destructive' | 'own';
  run(target: Target): Promise<Finding>;
}

/** Held unless there is something to complain about, which is shown then. */
export const finding = (now: string, complaints: readonly string[]): Finding => ({
  now: complaints.length === 0 ? now : complaints.join('; '),
  held: complaints.length === 0,
});

/** `400` or `400: message`, short enough for a table. */
export const shortResponse = ({ status, body }: ApiResponse): string => {
  const message: unknown = body?.message ?? body?.errors?.[0]?.message;
  return typeof message === 'string' ? `${status}: ${message.slice(0, 90)}` : String(status);
};

/** A complaint unless the answer has one of these statuses. */
export const expectStatus = (
  what: string,
  answer: ApiResponse,
  ...expected: readonly number[]
): readonly string[] => (expected.includes(answer.status) ? [] : [`${what}: ${shortResponse(answer)}`]);

/** The body of an answer that must have succeeded. Errors: it did not, so that the attack cannot go on. */
export const must = (what: string, answer: ApiResponse) => {
  if (answer.status === 200 || answer.status === 201) return answer.body;
  throw new Error(`${what}: ${shortResponse(answer)}`);
};

export const management = '/backoffice/api/v1';
export const storefront = '/api/shop/storefront';
export const checkout = '/api/shop/checkout';

interface ListedProduct {
  readonly variants: readonly { readonly id: string; readonly availableStock: number | null }[];
}

/** Puts two of the first thing that is sold without a choice to make into a basket. */
export const putSomethingIn = async ({ shop }: Target, shopper: Shopper): Promise<void> => {
  const list = must('products', await shop.admin.get(`${management}/products?pageSize=50`));
  const variants = (list.items as readonly ListedProduct[]).flatMap((product) => product.variants);
  for (const { id, availableStock } of variants) {
    if (availableStock !== null && availableStock <= 3) continue;
    if ((await shopper.add(id, 2)).status === 200) return;
  }
  throw new Error('the shop has nothing on sale');
};

/** A name that no other run has used. */
export const unique = (name: string): string => `${name}-${Date.now().toString(36)}`;

/** The position of the last event. */
export const headOf = async ({ shop }: Target): Promise<number> => {
  let position = 0;
  for (;;) {
    const page = must(
      'the audit log',
      await shop.admin.get(`${management}/audit/events?position=${position}&limit=1000`),
    ) as { readonly events: readonly { readonly position: number }[]; readonly next: number | null };
    position = page.next ?? page.events.at(-1)?.position ?? position;
    if (page.next === null) return position;
  }
};

/** The types of the events after a position. */
export const eventsAfter = async ({ shop }: Target, position: number): Promise<readonly string[]> => {
  const answer = await shop.admin.get(`${management}/audit/events?position=${position}&limit=1000`);
  const { events } = must('the audit log', answer) as {
    readonly events: readonly { readonly type: string }[];
  };
  return events.map(({ type }) => type);
};

/** Whether a text stands in one of these files as it is. */
export const standsIn = (files: readonly string[], text: string): boolean =>
  files.some((file) => readFileSync(file).includes(text));
