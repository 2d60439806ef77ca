import { Rejection } from '#kernel/rejection.ts';
import { createAssistant, type AssistantOptions } from './assistant.ts';
import { createChance, seedFrom } from './pure-random.ts';
import { MINUTE, type Doings } from './simulated-time.ts';
import type { SuggestedVisit } from './suggested.ts';
import { createVisitor, type Visitor } from './visitor.ts';

/** What a shopper has come to who was not turned away. */
export type CameTo =
  | { readonly kind: 'bought'; readonly invoiceId: string }
  /** `checkout`: the basket whose checkout was left with an e-mail address; null: it never came to that, or beyond. */
  | { readonly kind: 'left'; readonly checkout: string | null }
  | { readonly kind: 'declined' };

/** What came of a visit. */
export type Outcome =
  | CameTo
  /** The shop refused a step; the code says why. */
  | { readonly kind: 'refused'; readonly code: string };

export interface ShopperOptions extends AssistantOptions {
  readonly onLeave: (outcome: Outcome) => void;
}

/** No visit takes longer, pauses included: fourteen of three minutes at most. */
export const LONGEST_VISIT = 60 * MINUTE;

async function* goThrough(
  visit: SuggestedVisit,
  visitor: Visitor,
  pause: () => number,
): AsyncGenerator<number, CameTo> {
  const { lines, ending, code, refusedTokens, afterthought, seen } = visit;
  for (const line of lines) {
    await visitor.add(line);
    yield pause();
  }
  if (seen) {
    visitor.looksAt(seen);
    if (seen.taken) {
      yield pause();
      await visitor.add(seen.taken);
    }
    yield pause();
  }
  if (ending === 'clearsBasket') await visitor.clear();
  if (ending === 'leavesBasket' || ending === 'clearsBasket') return { kind: 'left', checkout: null };

  await visitor.saysWhereTheyLive();
  yield pause();
  await visitor.choosesShipping();
  if (code !== null) {
    yield pause();
    await visitor.triesCode(code);
  }
  if (ending === 'leavesCheckout') return { kind: 'left', checkout: visitor.basketId() };

  yield pause();
  let invoiceId = await visitor.orders();
  if (ending === 'leavesInvoice') return { kind: 'left', checkout: null };
  if (afterthought) {
    yield pause();
    await visitor.add(afterthought);
    await visitor.choosesShipping();
    yield pause();
    invoiceId = await visitor.orders();
  }
  for (const token of refusedTokens) {
    yield pause();
    await visitor.pays(invoiceId, token);
  }
  if (ending === 'declined') return { kind: 'declined' };
  yield pause();
  const isPaid = await visitor.pays(invoiceId, 'tok_success');
  return isPaid ? { kind: 'bought', invoiceId } : { kind: 'declined' };
}

/** An assistant does in seconds what its shopper wants done. */
async function* sendAssistant(
  visit: SuggestedVisit,
  options: ShopperOptions,
): AsyncGenerator<number, CameTo> {
  const { number, lines, afterthought, refusedTokens } = visit;
  const chance = createChance(seedFrom(options.seed, 'pauses of an assistant', number));
  const pause = (): number => chance.whole(1000, 20_000);
  const assistant = createAssistant(options, visit);
  let session = await assistant.begins();
  if (afterthought) {
    yield pause();
    session = await assistant.wantsInstead(session.id, [...lines, afterthought]);
  }
  yield pause();
  await assistant.choosesShipping(session);
  for (const token of [...refusedTokens, 'tok_success']) {
    yield pause();
    const invoiceId = await assistant.pays(session.id, token);
    if (invoiceId !== null) return { kind: 'bought', invoiceId };
  }
  return { kind: 'declined' };
}

/** Goes through a visit as planned, step by step, until the shopper leaves or the shop refuses. */
export async function* shop(visit: SuggestedVisit, options: ShopperOptions): Doings {
  const chance = createChance(seedFrom(options.seed, 'pauses', visit.number));
  const pause = (): number => chance.whole(30_000, 3 * MINUTE);
  try {
    const way = visit.isThroughAgent
      ? sendAssistant(visit, options)
      : goThrough(visit, createVisitor(options, visit), pause);
    options.onLeave(yield* way);
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    options.onLeave({ kind: 'refused', code: error.code });
  }
}
