import type { Goods } from '../contexts/basket/basket.actions.ts';
import { arrivalTimes, type Period } from './demand.ts';
import { createPeople, type Person, type Town } from './people.ts';
import { createChance, createLottery, seedFrom, type Chance, type Weighted } from './pure-random.ts';

/** How a visit ends. `declined`: every card was refused, and the invoice stays unpaid. */
export type Ending =
  | 'leavesBasket'
  | 'clearsBasket'
  | 'leavesCheckout'
  | 'leavesInvoice'
  | 'declined'
  | 'buys';

/** Wanted goods, without their quantity. */
export type WantedGoods = Omit<Goods, 'quantity'>;

/** One visit to the shop: who comes when, what they put into the basket, and how it ends. */
export interface Visit {
  readonly number: number;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  readonly person: Person;
  readonly lines: readonly Goods[];
  readonly ending: Ending;
  readonly code: string | null;
  /** Sandbox tokens that are tried before one that is good. */
  readonly refusedTokens: readonly string[];
  /**
   * Bought after second thoughts: put into the basket when the invoice has been made, so that another takes its place.
   */
  readonly afterthought: Goods | null;
  /** That they pay in; null: the store's. */
  readonly currency: string | null;
  /** An agent buys for the shopper. */
  readonly isThroughAgent: boolean;
}

/** What is on offer, and to whom. */
export interface Market {
  readonly towns: Weighted<Town>;
  /** Draws a product that can be delivered to a town, the popular ones more often, and what it is to be sold with. */
  readonly drawGoods: (town: Town, chance: Chance) => WantedGoods;
  /** Whether a product is sold with add-ons only: agents can ask for none. */
  readonly needsAddons: (productId: string) => boolean;
  /** Discount codes that shoppers know, the best known first. */
  readonly codes: readonly string[];
  /** The currency that goes with a town, where the store has a rate for it. */
  readonly currencyOf: (town: Town) => string | null;
}

export interface PlanOptions {
  readonly seed: number;
  readonly orders: number;
  readonly period: Period;
  readonly market: Market;
  readonly sellsToAgents: boolean;
}

/** The share of visits with a basket that buy. */
const BUYING = 0.55;
const RETURNING = 0.35;
/** Newcomers so recent that they do not come back yet. */
const STILL_AWAY = 20;
const KNOWS_CODE = 0.08;
/** Of those who know a code, how many know the best known one. */
const KNOWS_FIRST = 0.5;
const FIRST_CARD_REFUSED = 0.07;
const SECOND_CARD_REFUSED = 0.15;
const SECOND_THOUGHTS = 0.03;
const PAYS_IN_OWN_CURRENCY = 0.6;
/** The share of those who buy that send an assistant. */
const SENDS_ASSISTANT = 1 / 20;

const drawOtherEnding = createLottery<Ending>([
  ['leavesBasket', 60],
  ['leavesCheckout', 22],
  ['clearsBasket', 8],
  ['leavesInvoice', 5],
  ['declined', 5],
]);
const drawLineCount = createLottery([
  [1, 50],
  [2, 28],
  [3, 14],
  [4, 8],
]);
const drawQuantity = createLottery([
  [1, 76],
  [2, 17],
  [3, 5],
  [4, 2],
]);

/** The number of visits for a number of orders. */
export const visitsFor = (orders: number): number => Math.ceil(orders / BUYING);

const drawRefusals = (ending: Ending, chance: Chance): readonly string[] => {
  const isRefused = ending === 'declined' || (ending === 'buys' && chance.happens(FIRST_CARD_REFUSED));
  if (!isRefused) return [];
  const first = chance.oneOf(['tok_decline', 'tok_insufficient_funds']);
  return chance.happens(SECOND_CARD_REFUSED) ? [first, 'tok_decline'] : [first];
};

const givesAddress = (ending: Ending): boolean => ending !== 'leavesBasket' && ending !== 'clearsBasket';

/** Whose visit it is: a new customer, a returning one, or a passer-by who never gives a name. */
const createCrowd = (seed: number, from: Weighted<Town>) => {
  const personOf = createPeople(seed, from);
  let newcomers = 0;
  return (visit: number, ending: Ending, chance: Chance): Person => {
    const isReturning = chance.happens(RETURNING);
    const drawn = chance.next();
    if (!givesAddress(ending)) return personOf('passer-by', visit);
    const known = newcomers - STILL_AWAY;
    return personOf('customer', isReturning && known > 0 ? Math.floor(drawn * known) : newcomers++);
  };
};

const knownCode = (codes: readonly string[], chance: Chance): string | null => {
  const [first = null] = codes;
  return first === null || chance.happens(KNOWS_FIRST) ? first : chance.oneOf(codes);
};

/** Drawn apart: who comes, and what everyone else does, is the same in a shop that sells nothing to agents. */
const sendsAssistant = (seed: number, visit: number): boolean =>
  createChance(seedFrom(seed, 'sends an assistant', visit)).happens(SENDS_ASSISTANT);

/**
 * The visits of a simulation in the order of time, exactly `orders` of which buy. The seed decides who comes in which
 * order, what they want and how it ends; the period only when.
 */
export function* planVisits({ seed, orders, period, market, sellsToAgents }: PlanOptions): Generator<Visit> {
  const visits = visitsFor(orders);
  const chance = createChance(seedFrom(seed, 'visits'));
  const whoComes = createCrowd(seed, market.towns);
  const times = arrivalTimes(seed, period, visits);
  const wantedLine = (town: Town): Goods => ({
    ...market.drawGoods(town, chance),
    quantity: drawQuantity(chance),
  });
  let bought = 0;
  let number = 0;
  for (const at of times) {
    // What is left to buy over what is left to come: the last visit makes the number exact.
    const ending = chance.happens((orders - bought) / (visits - number)) ? 'buys' : drawOtherEnding(chance);
    if (ending === 'buys') bought++;
    const person = whoComes(number, ending, chance);
    const lines = Array.from({ length: drawLineCount(chance) }, () => wantedLine(person.town));
    const visit = {
      number,
      at,
      person,
      lines,
      ending,
      code: givesAddress(ending) && chance.happens(KNOWS_CODE) ? knownCode(market.codes, chance) : null,
      refusedTokens: drawRefusals(ending, chance),
      afterthought: ending === 'buys' && chance.happens(SECOND_THOUGHTS) ? wantedLine(person.town) : null,
      currency: chance.happens(PAYS_IN_OWN_CURRENCY) ? market.currencyOf(person.town) : null,
    };
    const mayAskAgent = [...lines, visit.afterthought].every(
      (goods) => goods === null || !market.needsAddons(goods.productId),
    );
    const isBuying = sellsToAgents && ending === 'buys';
    yield { ...visit, isThroughAgent: isBuying && mayAskAgent && sendsAssistant(seed, number) };
    number++;
  }
}
