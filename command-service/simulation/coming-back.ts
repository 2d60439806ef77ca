import { Rejection } from '#kernel/rejection.ts';
import { createAgenda } from './agenda.ts';
import { HOUR } from './demand.ts';
import { createChance, seedFrom } from './pure-random.ts';
import { requestsOf } from './requests.ts';
import type { CameTo } from './shopper.ts';
import { MINUTE, type Beginning, type Doings } from './simulated-time.ts';
import type { SuggestedVisit } from './suggested.ts';
import { createVisitor, visitorActor, type VisitorOptions } from './visitor.ts';

/** The share of those who left their checkout that open the link in a mail, and of these the share that buy. */
const COMES_BACK = 0.2;
const BUYS = 0.5;
/** Hours. Before that the pass of the next day has not made the link yet in a shop with few visits. */
const SOONEST = 28;
const LATEST = 120;

/** What became of checkouts that were left. */
export interface WonBackCounts {
  /** Found abandoned by the job. */
  readonly abandoned: number;
  /** Come back to by their link. */
  readonly cameBack: number;
  /** Bought thereafter. */
  readonly bought: number;
}

export interface ComingBackOptions extends VisitorOptions {
  /** The token of a basket's first link. */
  readonly linkTokenOf: (basketId: string) => string;
  readonly onSale: (visit: SuggestedVisit, invoiceId: string) => void;
  readonly onRefusal: (code: string) => void;
}

/** A shopper who is to come back. */
interface Returning extends Beginning {
  readonly visit: SuggestedVisit;
}

/** In another browser than the one that the checkout was left in. */
const elsewhere = { basketId: null, holds: () => false };

/** False where the shop gives up on nobody so soon: there is no link yet. */
const opensLink = async (
  { seed, shop, linkTokenOf }: ComingBackOptions,
  { number }: SuggestedVisit,
  basketId: string,
): Promise<boolean> => {
  const meta = requestsOf(visitorActor, seed, 'link', number)();
  try {
    await shop.abandonedCheckouts.recover(linkTokenOf(basketId), elsewhere, meta);
    return true;
  } catch (error) {
    if (error instanceof Rejection && error.code === 'recovery-link-invalid') return false;
    throw error;
  }
};

/** Chooses shipping again, which has timed out, and pays at the first attempt. */
async function* buysIt(
  options: ComingBackOptions,
  visit: SuggestedVisit,
  basketId: string,
): AsyncGenerator<number, CameTo> {
  const { seed, shop } = options;
  const chance = createChance(seedFrom(seed, 'pauses of one who is back', visit.number));
  const visitor = createVisitor(options, visit, basketId);
  // The shop would record it in the background, when the clock may have moved on.
  const isSeen = (): Promise<unknown> => shop.abandonedCheckouts.review(basketId);
  yield chance.whole(30_000, 3 * MINUTE);
  await visitor.choosesShipping();
  await isSeen();
  yield chance.whole(30_000, 3 * MINUTE);
  const invoiceId = await visitor.orders();
  yield chance.whole(30_000, 3 * MINUTE);
  const isPaid = await visitor.pays(invoiceId, 'tok_success');
  await isSeen();
  return isPaid ? { kind: 'bought', invoiceId } : { kind: 'declined' };
}

/**
 * Shoppers who leave their checkout with an e-mail address: the job finds them, and some come back by their link, some
 * of whom buy. Who does, and when, is the seed's choice. It happens days later: a visit that paused for so long would
 * hold up all later ones.
 */
export const createComingBack = (options: ComingBackOptions) => {
  const agenda = createAgenda<Returning>();
  const counts = { abandoned: 0, cameBack: 0, bought: 0 };

  async function* comesBack(visit: SuggestedVisit, basketId: string, buys: boolean): Doings {
    if (!(await opensLink(options, visit, basketId))) return;
    counts.cameBack++;
    if (!buys) return;
    try {
      const outcome = yield* buysIt(options, visit, basketId);
      if (outcome.kind !== 'bought') return;
      counts.bought++;
      options.onSale(visit, outcome.invoiceId);
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      options.onRefusal(error.code);
    }
  }

  return {
    /** A checkout was left; that its shopper comes back is put down for later, if they do. */
    left: (visit: SuggestedVisit, basketId: string): void => {
      const chance = createChance(seedFrom(options.seed, 'comes back', visit.number));
      if (!chance.happens(COMES_BACK)) return;
      const buys = chance.happens(BUYS);
      const at = visit.at + chance.whole(SOONEST, LATEST) * HOUR;
      const returning = { ...visit, at };
      agenda.add({ at, visit: returning, begin: () => comesBack(returning, basketId, buys) });
    },
    /** Has the shop look for checkouts that were left. */
    detect: async (): Promise<void> => {
      const { abandoned } = await options.shop.abandonedCheckouts.detect();
      counts.abandoned += abandoned;
    },
    /** Who comes back before an instant. */
    due: (until: number): readonly Returning[] => agenda.take(until),
    counters: (): WonBackCounts => ({ ...counts }),
  };
};
