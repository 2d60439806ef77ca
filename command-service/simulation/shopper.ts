import { countryCookie, regionCookie } from '#http/cookies.ts';
import type { Reply } from '#http/route.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { Visit } from './plan-visits.ts';
import { createChance, seedFrom } from './pure-random.ts';
import { emptyJar, type ShopCounter } from './shop-counter.ts';
import { MINUTE, type Doings } from './simulated-time.ts';

type CameTo = 'bought' | 'left' | 'declined';

/** What came of a visit. */
export type Outcome =
  | { readonly kind: CameTo }
  /** The shop refused a step; the code says why. */
  | { readonly kind: 'refused'; readonly code: string };

export interface ShopperOptions {
  readonly seed: number;
  readonly shop: ShopCounter;
  readonly onLeave: (outcome: Outcome) => void;
}

const actor = { kind: 'visitor', id: null } as const;
const card = { providerAlias: 'sandbox', methodAlias: 'card' };
/** No visit takes longer, whatever its pauses: it has twelve of three minutes at most. */
export const LONGEST_VISIT = 60 * MINUTE;

/** A shopper's way to the shop: their cookies, and an id for each request. */
const createBrowser = ({ seed, shop }: ShopperOptions, { number, person: { town } }: Visit) => {
  const jar = emptyJar();
  jar.cookies[countryCookie] = town.countryCode;
  if (town.regionCode !== null) jar.cookies[regionCookie] = town.regionCode;
  let requests = 0;
  return async (endpoint: string, body: object = {}): Promise<Reply> => {
    const commandId = derivedId('simulated request', seed, number, requests++);
    const reply = await shop.ask(endpoint, { actor, jar, commandId, body });
    if (reply.status < 400) return reply;
    const { message = '' } = reply.json as { readonly message?: string };
    throw new Rejection('cannot-ship', message);
  };
};
type Browser = ReturnType<typeof createBrowser>;

/** A new invoice, or the one that still says what the basket holds. */
const createInvoice = async (ask: Browser): Promise<string> => {
  const pages = { returnUrl: '/thanks', cancelUrl: '/basket' };
  const { json } = await ask('POST checkout /pay', { ...card, ...pages });
  return (json as { readonly invoiceId: string }).invoiceId;
};

const payWith = async (ask: Browser, invoiceId: string, paymentMethodToken: string): Promise<boolean> => {
  const body = { ...card, invoiceId, paymentMethodToken };
  const { json } = await ask('POST checkout /process-payment', body);
  return (json as { readonly status: string }).status === 'Completed';
};

/** A code that is used up, or takes nothing off, sends nobody away. */
const applyCode = async (ask: Browser, code: string): Promise<void> => {
  try {
    await ask('POST checkout /discount/apply', { code });
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
  }
};

async function* goThrough(visit: Visit, ask: Browser, pause: () => number): AsyncGenerator<number, CameTo> {
  const { person, lines, ending, code, refusedTokens, afterthought } = visit;
  const { name, email, town, addressOne, acceptsMarketing } = person;
  for (const line of lines) {
    await ask('POST storefront /basket/add', line);
    yield pause();
  }
  if (ending === 'clearsBasket') await ask('POST storefront /basket/clear');
  if (ending === 'leavesBasket' || ending === 'clearsBasket') return 'left';

  const billingAddress = { name, addressOne, ...town };
  await ask('POST checkout /addresses', { email, acceptsMarketing, billingAddress });
  yield pause();
  await ask('POST checkout /initialize', { countryCode: town.countryCode, stateCode: town.regionCode });
  if (code !== null) {
    yield pause();
    await applyCode(ask, code);
  }
  if (ending === 'leavesCheckout') return 'left';

  yield pause();
  let invoiceId = await createInvoice(ask);
  if (ending === 'leavesInvoice') return 'left';
  if (afterthought) {
    yield pause();
    await ask('POST storefront /basket/add', afterthought);
    await ask('POST checkout /initialize', { countryCode: town.countryCode, stateCode: town.regionCode });
    yield pause();
    invoiceId = await createInvoice(ask);
  }
  for (const token of refusedTokens) {
    yield pause();
    await payWith(ask, invoiceId, token);
  }
  if (ending === 'declined') return 'declined';
  yield pause();
  return (await payWith(ask, invoiceId, 'tok_success')) ? 'bought' : 'declined';
}

/** Somebody who goes through a visit as planned, step by step, until they leave or the shop refuses something. */
export async function* shop(visit: Visit, options: ShopperOptions): Doings {
  const chance = createChance(seedFrom(options.seed, 'pauses', visit.number));
  const pause = (): number => chance.whole(30_000, 3 * MINUTE);
  try {
    const kind = yield* goThrough(visit, createBrowser(options, visit), pause);
    options.onLeave({ kind });
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    options.onLeave({ kind: 'refused', code: error.code });
  }
}
