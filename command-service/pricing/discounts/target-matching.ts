import type { DiscountRule } from '#entities/discount.entity.ts';
import { targetKey, type TargetType } from '#values/discount-targets.ts';
import type { Piece } from './piece.ts';

type Target = Pick<DiscountRule['targetRules'][number], 'targetType' | 'targetIds'>;

/** By the list of a rule, for as long as the rule is what it is: a list of a thousand is not read for every line. */
const known = new WeakMap<readonly string[], ReadonlySet<string>>();

const keysOfTarget = (type: TargetType, targetIds: readonly string[]): ReadonlySet<string> => {
  const found = known.get(targetIds);
  if (found !== undefined) return found;
  const keys = new Set(targetIds.map((id) => targetKey(type, id)));
  known.set(targetIds, keys);
  return keys;
};

const namer = ({ targetType, targetIds }: Target): ((piece: Piece) => boolean) => {
  if (targetType === 'AllProducts') return () => true;
  const keys = keysOfTarget(targetType, targetIds);
  return (piece) => piece.keys.some((key) => keys.has(key));
};

export const named = (target: Target, pieces: readonly Piece[]): readonly Piece[] =>
  target.targetType === 'AllProducts' ? pieces : pieces.filter(namer(target));

/**
 * The pieces that a rule is about (docs/rules/discounts.md#targets): those that an inclusion names, all where there is
 * none, without those that an exclusion names.
 */
export const matching = (
  { targetRules }: Pick<DiscountRule, 'targetRules'>,
  pieces: readonly Piece[],
): readonly Piece[] => {
  if (targetRules.length === 0) return pieces;
  const excluding = targetRules.filter(({ isExclusion }) => isExclusion).map(namer);
  const including = targetRules.filter(({ isExclusion }) => !isExclusion).map(namer);
  return pieces.filter(
    (piece) =>
      !excluding.some((names) => names(piece)) &&
      (including.length === 0 || including.some((names) => names(piece))),
  );
};
