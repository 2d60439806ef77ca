import type { DiscountRule } from '#entities/discount.entity.ts';
import { keysOfLine, namesPlaces, targetKey, type TargetType } from '#values/discount-targets.ts';
import { periodOf } from '#values/dated-status.ts';
import type { BasketTraits, ReferenceDiscount } from './reference.ts';
import { createSchedule } from './schedule.ts';

/** What a basket must have for a rule to take anything off: one of each of these lists. */
type Demands = readonly (readonly string[])[];

/** A rule as it is found: by its time, and by the first of its demands. */
interface Filed {
  readonly id: string;
  readonly demands: Demands;
  readonly from: number;
  readonly until: number;
}

const EVERYTHING = '';

/** Whether it asks where lines are sent from, be it to leave them out. */
export const isAboutPlaces = ({ targetRules, buyXGetY }: DiscountRule): boolean =>
  targetRules.some(({ targetType }) => namesPlaces(targetType)) ||
  (buyXGetY !== null && (namesPlaces(buyXGetY.buyTargetType) || namesPlaces(buyXGetY.getTargetType)));

const hasRequirement = (rule: DiscountRule): boolean =>
  (rule.requirementType !== 'None' && (rule.requirementValue ?? 0) > 0) ||
  (rule.minimumPurchaseAmount ?? 0) > 0 ||
  (rule.minimumQuantity ?? 0) > 0;

/** Of an order or of shipping, targets limit only what the requirement is measured on. */
const needsLines = (rule: DiscountRule): boolean =>
  rule.category === 'AmountOffProducts' || rule.category === 'BuyXGetY' || hasRequirement(rule);

const targeted = (type: TargetType, ids: readonly string[]): readonly string[] | null =>
  type === 'AllProducts' ? null : ids.map((id) => targetKey(type, id));

const included = (rule: DiscountRule): readonly string[] | null => {
  const inclusions = rule.targetRules.filter(({ isExclusion }) => !isExclusion);
  if (inclusions.length === 0 || !needsLines(rule)) return null;
  const lists = inclusions.map(({ targetType, targetIds }) => targeted(targetType, targetIds));
  return lists.includes(null) ? null : lists.flatMap((list) => list ?? []);
};

const eligible = ({ eligibilityRules }: DiscountRule): readonly string[] | null =>
  eligibilityRules.length === 0 ||
  eligibilityRules.some(({ eligibilityType }) => eligibilityType === 'AllCustomers')
    ? null
    : eligibilityRules.flatMap(({ ids }) => ids);

/** What it sells by first: there are more products than customers' segments. */
const demandsOf = (rule: DiscountRule): Demands => {
  const { buyXGetY } = rule;
  const all = [
    included(rule),
    buyXGetY && targeted(buyXGetY.buyTargetType, buyXGetY.buyTargetIds),
    buyXGetY && targeted(buyXGetY.getTargetType, buyXGetY.getTargetIds),
    eligible(rule),
  ];
  return all.filter((demand) => demand !== null);
};

/** The lists of keys that a basket has; a key may be in several. */
const keysOf = ({ lines, buyer }: BasketTraits): readonly (readonly string[])[] => {
  const keys = [buyer.segmentIds];
  if (buyer.customerId !== null) keys.push([buyer.customerId]);
  for (const line of lines) keys.push(keysOfLine(line));
  return keys;
};

/** Whether a basket with these keys has one of each list; a rule that was found by its only list is not asked. */
const meets = (keys: readonly (readonly string[])[]): ((filed: Filed) => boolean) => {
  let all: ReadonlySet<string> | null = null;
  return ({ demands }) => {
    if (demands.length < 2) return true;
    const known = (all ??= new Set(keys.flat()));
    return demands.every((demand) => demand.some((key) => known.has(key)));
  };
};

const nothing: readonly never[] = [];

/** Rules that are in force, under each key of the demand that they are found by. */
const createIndex = () => {
  const index = new Map<string, Filed[]>();
  /** What stands under lists of keys: a product's is asked for in each of its baskets. */
  let known: WeakMap<readonly string[], readonly Filed[]> | null = null;
  const underOne = (keys: readonly string[]): readonly Filed[] => {
    known ??= new WeakMap();
    const found = known.get(keys);
    if (found !== undefined) return found;
    const filed = keys.flatMap((key): readonly Filed[] => index.get(key) ?? nothing);
    known.set(keys, filed);
    return filed;
  };
  const forget = (): void => {
    known = null;
  };
  const keysOf = ({ demands: [first] }: Filed): readonly string[] => first ?? [EVERYTHING];
  return {
    add: (filed: Filed): void => {
      forget();
      for (const key of keysOf(filed)) {
        const bucket = index.get(key);
        if (bucket) bucket.push(filed);
        else index.set(key, [filed]);
      }
    },
    remove: (filed: Filed): void => {
      forget();
      for (const key of keysOf(filed)) {
        const bucket = index.get(key) ?? [];
        const place = bucket.indexOf(filed);
        if (place >= 0) bucket.splice(place, 1);
        if (bucket.length === 0) index.delete(key);
      }
    },
    /** Each once. */
    under: (keys: readonly (readonly string[])[]): ReadonlySet<Filed> => {
      const found = new Set(index.get(EVERYTHING));
      for (const list of keys) for (const filed of underOne(list)) found.add(filed);
      return found;
    },
    clear: (): void => {
      forget();
      index.clear();
    },
  };
};

/** Rules by what they demand, indexed while they are in force. */
const createTimedIndex = (filed: ReadonlyMap<string, Filed>) => {
  const index = createIndex();
  /** Rules that are not in force yet, and those that are, by when that ends. */
  const waiting = createSchedule();
  const ending = createSchedule();
  let movedTo = -Infinity;

  const wait = ({ id, from }: Filed): void => waiting.set(id, from);

  /** A clock that was put back finds again what had ended. */
  const rewind = (): void => {
    index.clear();
    ending.clear();
    for (const one of filed.values()) wait(one);
  };

  const clear = (): void => {
    index.clear();
    waiting.clear();
    ending.clear();
  };

  return {
    wait,
    clear,
    remove: (known: Filed): void => {
      index.remove(known);
      waiting.remove(known.id);
      ending.remove(known.id);
    },
    /** Those in force under any of the keys. */
    at: (now: number, keys: readonly (readonly string[])[]): ReadonlySet<Filed> => {
      if (now < movedTo) rewind();
      movedTo = now;
      for (const id of waiting.due(now)) {
        waiting.remove(id);
        const found = filed.get(id);
        if (found === undefined || found.until < now) continue;
        index.add(found);
        if (found.until < Infinity) ending.set(id, found.until + 1);
      }
      for (const id of ending.due(now)) {
        ending.remove(id);
        const found = filed.get(id);
        if (found) index.remove(found);
      }
      return index.under(keys);
    },
  };
};

/**
 * The automatic rules by time and by what they demand, so that a basket meets those that can match it and no others,
 * however many there are (docs/rules/discounts.md#automatic-discounts).
 */
export const createDiscountIndex = () => {
  const filed = new Map<string, Filed>();
  const aboutPlaces = new Set<string>();
  const index = createTimedIndex(filed);

  const remove = (id: string): void => {
    const known = filed.get(id);
    if (!known) return;
    filed.delete(id);
    aboutPlaces.delete(id);
    index.remove(known);
  };

  return {
    put: ({ id, rule, status }: ReferenceDiscount): void => {
      remove(id);
      if (rule.method !== 'Automatic' || (status !== 'Active' && status !== 'Scheduled')) return;
      const one = { id, demands: demandsOf(rule), ...periodOf(rule) };
      filed.set(id, one);
      if (isAboutPlaces(rule)) aboutPlaces.add(id);
      index.wait(one);
    },
    remove,
    /** The ids of those that may take something off such a basket. */
    candidates: (basket: BasketTraits, now: number): readonly string[] => {
      if (filed.size === 0) return [];
      const keys = keysOf(basket);
      return [...index.at(now, keys)].filter(meets(keys)).map(({ id }) => id);
    },
    /** Whether any of them asks where lines are sent from. */
    askForPlaces: (): boolean => aboutPlaces.size > 0,
    clear: (): void => {
      filed.clear();
      aboutPlaces.clear();
      index.clear();
    },
  };
};
