import type { DiscountRule } from '#entities/discount.entity.ts';
import type { Minor } from '#values/money.ts';
import { totalOf, type Piece } from './piece.ts';
import { valueOff, type PieceDiscount } from './product-discounts.ts';
import { matching, named } from './target-matching.ts';

type Config = NonNullable<DiscountRule['buyXGetY']>;

/** A piece that may be rewarded. */
interface Reward {
  readonly piece: Piece;
  /** What a unit loses. */
  readonly off: Minor;
  /** Units that the trigger takes before any of these; infinite where it takes none of these. */
  readonly spared: number;
}

interface Offer {
  /** Units that a round of the trigger takes away from the rewards; 0 where it takes none. */
  readonly perRound: number;
  readonly getQuantity: number;
  /** In the order in which they are rewarded. */
  readonly rewards: readonly Reward[];
  /** How many units the trigger has taken when it goes on to other pieces, ascending. */
  readonly ends: readonly number[];
}

/** What a number of rounds takes off, and the range of rounds over which the same pieces are cut. */
interface Outcome {
  readonly amount: Minor;
  readonly alikeUntil: number;
  /** All that the trigger leaves is rewarded: more rounds take off no more. */
  readonly isUsedUp: boolean;
}

const quantityOf = (pieces: readonly Piece[]): number =>
  pieces.reduce((sum, { isAddon, quantity }) => (isAddon ? sum : sum + quantity), 0);

/** Rounds of the trigger that the basket holds. */
const roundsIn = (bought: readonly Piece[], { buyTriggerType, buyTriggerValue }: Config): number => {
  const held =
    buyTriggerType === 'MinimumQuantity'
      ? quantityOf(bought)
      : bought.reduce((sum, piece) => sum + totalOf(piece), 0);
  return Math.floor(held / buyTriggerValue);
};

/** Which pieces the trigger takes first: those that cost nothing, then those that would be rewarded last. */
const takenFirst = (both: readonly Piece[], { selectionMethod }: Config): Piece[] => {
  const direction = selectionMethod === 'Cheapest' ? -1 : 1;
  const rank = ({ unit }: Piece): number => (unit === 0 ? -Infinity : direction * unit);
  return [...both].sort((one, other) => rank(one) - rank(other) || 0);
};

const offerOf = (config: Config, bought: readonly Piece[], rewarded: readonly Piece[]): Offer => {
  const { buyTriggerType, buyTriggerValue, getQuantity, getValueType, getValue, selectionMethod } = config;
  const isGiven = new Set(rewarded);
  const both = bought.filter((piece) => isGiven.has(piece) && !piece.isAddon);
  const isTaking = buyTriggerType === 'MinimumQuantity' && both.length > 0;
  // What triggers the offer and cannot be a reward is counted first.
  let units = quantityOf(bought) - quantityOf(both);
  const ends = [units];
  const spared = new Map<Piece, number>();
  for (const piece of isTaking ? takenFirst(both, config) : []) {
    spared.set(piece, units);
    units += piece.quantity;
    ends.push(units);
  }
  const direction = selectionMethod === 'Cheapest' ? 1 : -1;
  const rewards = rewarded
    .filter(({ unit }) => unit > 0)
    .sort((one, other) => direction * (one.unit - other.unit))
    .map((piece) => ({
      piece,
      off: valueOff(getValueType, getValue, piece.unit),
      spared: spared.get(piece) ?? Infinity,
    }));
  return { perRound: isTaking ? buyTriggerValue : 0, getQuantity, rewards, ends };
};

/** Units of a reward left over by the required ones. */
const freeOf = ({ piece: { quantity }, spared }: Reward, needed: number): number =>
  quantity - Math.min(quantity, Math.max(0, needed - spared));

const outcomeOf = ({ perRound, getQuantity, rewards, ends }: Offer, rounds: number): Outcome => {
  const needed = rounds * perRound;
  const end = ends.find((units) => units > needed);
  let alikeUntil = end === undefined ? rounds : Math.floor(end / perRound);
  let isUsedUp = true;
  let amount = 0;
  let left = rounds * getQuantity;
  /** By how much a round brings the last rewarded unit nearer to the end of its piece. */
  let pace = getQuantity;
  for (const reward of rewards) {
    const { piece, off, spared } = reward;
    const free = freeOf(reward, needed);
    const rewarded = Math.min(left, free);
    amount += off * rewarded;
    left -= rewarded;
    if (needed >= spared && needed < spared + piece.quantity) pace += perRound;
    if (rewarded < free) {
      isUsedUp = false;
      alikeUntil = Math.min(alikeUntil, rounds + Math.floor((free - rewarded) / pace));
      break;
    }
  }
  return { amount, alikeUntil, isUsedUp };
};

/**
 * The number of rounds that takes off most, the smallest of equals. Between two numbers of rounds that reserve and
 * reward units of the same pieces the amount runs straight, so that its ends are all that need to be tried: the work
 * grows with the lines of a basket, not with their quantities.
 */
const bestRounds = (offer: Offer, most: number): number => {
  let best = 0;
  let bestAmount = 0;
  const note = (rounds: number, { amount }: Outcome): void => {
    if (amount <= bestAmount) return;
    best = rounds;
    bestAmount = amount;
  };
  for (let rounds = 0; rounds <= most;) {
    const outcome = outcomeOf(offer, rounds);
    note(rounds, outcome);
    const end = Math.min(most, Math.max(rounds, outcome.alikeUntil));
    const atEnd = end === rounds ? outcome : outcomeOf(offer, end);
    note(end, atEnd);
    if (outcome.isUsedUp || atEnd.isUsedUp) break;
    rounds = end + 1;
  }
  return best;
};

const rewarded = ({ perRound, getQuantity, rewards }: Offer, rounds: number): PieceDiscount[] => {
  let left = rounds * getQuantity;
  return rewards.map((reward) => {
    const units = Math.min(left, freeOf(reward, rounds * perRound));
    left -= units;
    return { piece: reward.piece, amount: reward.off * units };
  });
};

/**
 * What an offer takes off the pieces that it gives (docs/rules/discount-amounts.md#buy-x-get-y). Add-ons trigger
 * nothing by their number and are never taken for it; as rewards they are units like others.
 */
export const rewardDiscounts = (rule: DiscountRule, pieces: readonly Piece[]): PieceDiscount[] => {
  const config = rule.buyXGetY;
  if (config === null) return [];
  const { buyTargetType, buyTargetIds, getTargetType, getTargetIds } = config;
  const bought = named({ targetType: buyTargetType, targetIds: buyTargetIds }, pieces);
  const given = named({ targetType: getTargetType, targetIds: getTargetIds }, pieces);
  if ([matching(rule, pieces), bought, given].some(({ length }) => length === 0)) return [];
  const most = Math.min(roundsIn(bought, config), rule.perOrderUsageLimit ?? Infinity);
  const offer = offerOf(config, bought, given);
  return rewarded(offer, offer.perRound > 0 ? bestRounds(offer, most) : most);
};
