import type { DiscountRule } from '#entities/discount.entity.ts';
import type { NaivePiece } from './naive-basket.ts';
import { add, valueOf } from './naive-figures.ts';
import { isNamed, matches } from './naive-validity.ts';

/** One unit of a piece. */
interface Unit {
  readonly at: number;
  readonly price: number;
  readonly isAddon: boolean;
}

/** Rewards of so many rounds, by the place of their piece. */
const rewardsOf = (
  config: NonNullable<DiscountRule['buyXGetY']>,
  pieces: readonly NaivePiece[],
  rounds: number,
): bigint[] => {
  const amounts = pieces.map(() => 0n);
  const isBought = (piece: NaivePiece): boolean =>
    isNamed(piece, { targetType: config.buyTargetType, targetIds: config.buyTargetIds });
  const isGiven = (piece: NaivePiece): boolean =>
    isNamed(piece, { targetType: config.getTargetType, targetIds: config.getTargetIds });
  const isCheapest = config.selectionMethod === 'Cheapest';
  const units = (wanted: (piece: NaivePiece) => boolean): Unit[] =>
    pieces.flatMap((piece, at) =>
      wanted(piece)
        ? Array.from({ length: piece.quantity }, () => ({ at, price: piece.unit, isAddon: piece.isAddon }))
        : [],
    );
  const given = units(isGiven);
  if (config.buyTriggerType === 'MinimumQuantity') {
    let needed = rounds * config.buyTriggerValue;
    needed -= units((piece) => isBought(piece) && !isGiven(piece)).filter(({ isAddon }) => !isAddon).length;
    const both = units((piece) => isBought(piece) && isGiven(piece)).filter(({ isAddon }) => !isAddon);
    const free = both.filter(({ price }) => price === 0);
    const costly = both.filter(({ price }) => price > 0);
    costly.sort((one, other) => (isCheapest ? other.price - one.price : one.price - other.price));
    for (const unit of [...free, ...costly].slice(0, Math.max(0, needed)))
      given.splice(
        given.findIndex(({ at }) => at === unit.at),
        1,
      );
  }
  given.sort((one, other) => (isCheapest ? one.price - other.price : other.price - one.price));
  const rewarded = given.filter(({ price }) => price > 0).slice(0, rounds * config.getQuantity);
  for (const { at, price } of rewarded)
    amounts[at] = (amounts[at] ?? 0n) + valueOf(config.getValueType, config.getValue, BigInt(price));
  return amounts;
};

/** Every number of rounds is tried where what triggers can be a reward. */
export const buyXGetYAmounts = (rule: DiscountRule, pieces: readonly NaivePiece[]): bigint[] => {
  const nothing = pieces.map(() => 0n);
  const config = rule.buyXGetY;
  if (config === null || !pieces.some((piece) => matches(piece, rule))) return nothing;
  const bought = pieces.filter((piece) =>
    isNamed(piece, { targetType: config.buyTargetType, targetIds: config.buyTargetIds }),
  );
  const given = pieces.filter((piece) =>
    isNamed(piece, { targetType: config.getTargetType, targetIds: config.getTargetIds }),
  );
  if (bought.length === 0 || given.length === 0) return nothing;
  const byQuantity = config.buyTriggerType === 'MinimumQuantity';
  const held = bought.reduce((sum, { unit, quantity, isAddon }) => {
    if (!byQuantity) return sum + unit * quantity;
    return isAddon ? sum : sum + quantity;
  }, 0);
  const rounds = Math.floor(held / config.buyTriggerValue);
  const most = rule.perOrderUsageLimit === null ? rounds : Math.min(rounds, rule.perOrderUsageLimit);
  const overlaps = bought.some((piece) => given.includes(piece));
  if (!byQuantity || !overlaps) return rewardsOf(config, pieces, most);
  let best = nothing;
  for (let tried = 0; tried <= most; tried++) {
    const amounts = rewardsOf(config, pieces, tried);
    if (add(amounts) > add(best)) best = amounts;
  }
  return best;
};
