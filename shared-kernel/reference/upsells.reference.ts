import type { UpsellRuleEvent } from '#entities/upsell-rule.entity.ts';
import { idOf } from '#values/stream-name.ts';
import { periodOf } from '#values/dated-status.ts';
import { type CheckoutMode, isShownAt, namesProducts } from '#values/upsells.ts';
import { createDatedEntries } from './dated-entries.ts';
import type { ReferenceUpsell, UpsellQuery, UpsellReference } from './reference.ts';
import type { Fold, ReferencePart } from './reference-part.ts';

/** A rule as it is found, and when it is in force: both instants are its own. */
interface Filed {
  readonly upsell: ReferenceUpsell;
  /** Ids that its triggers name; null is a basket's worth, which every basket has. */
  readonly keys: ReadonlySet<string | null>;
  readonly from: number;
  readonly until: number;
}

const filedOf = (upsell: ReferenceUpsell): Filed => ({
  upsell,
  keys: new Set(
    upsell.rule.triggerRules.flatMap(({ triggerType, triggerIds }) =>
      namesProducts(triggerType) ? triggerIds : [null],
    ),
  ),
  ...periodOf(upsell.rule),
});

const neverAtCheckout: CheckoutMode = 'PostPurchase';

/** Whether a rule is for this place of the shop (docs/rules/upsells.md#where). */
const isFor = ({ rule }: ReferenceUpsell, { location, mode }: UpsellQuery): boolean => {
  if (location === 'AutoAdd') return rule.autoAddToBasket;
  if (mode !== undefined && rule.checkoutMode !== mode) return false;
  if (location === 'Checkout' && rule.checkoutMode === neverAtCheckout) return false;
  return isShownAt(rule.displayLocation, location);
};

const byPriority = ({ upsell: one }: Filed, { upsell: other }: Filed): number =>
  one.rule.priority - other.rule.priority || (one.id < other.id ? -1 : 1);

const asksWho = ({ rule }: ReferenceUpsell): boolean =>
  rule.eligibilityRules.length > 0 &&
  !rule.eligibilityRules.some(({ eligibilityType }) => eligibilityType === 'AllCustomers');

const isAfterwards = ({ rule }: ReferenceUpsell): boolean =>
  rule.checkoutMode === 'PostPurchase' && isShownAt(rule.displayLocation, 'Confirmation');

/**
 * The rules that are switched on, by what triggers them, so that a basket meets those that it can trigger and no
 * others, however many there are (docs/rules/upsells.md#steps).
 */
const createUpsellIndex = () => {
  const filed = new Map<string, Filed>();
  const byKey = new Map<string | null, Set<Filed>>();
  /** How many of them do what most rules do not. */
  const counts = { autoAdd: 0, asksWho: 0, afterwards: 0 };

  const count = ({ upsell }: Filed, by: 1 | -1): void => {
    if (upsell.rule.autoAddToBasket) counts.autoAdd += by;
    if (asksWho(upsell)) counts.asksWho += by;
    if (isAfterwards(upsell)) counts.afterwards += by;
  };
  const remove = (id: string): void => {
    const known = filed.get(id);
    if (known === undefined) return;
    filed.delete(id);
    count(known, -1);
    for (const key of known.keys) {
      const bucket = byKey.get(key);
      bucket?.delete(known);
      if (bucket?.size === 0) byKey.delete(key);
    }
  };

  return {
    put: (upsell: ReferenceUpsell): void => {
      remove(upsell.id);
      if (upsell.status !== 'Active' && upsell.status !== 'Scheduled') return;
      const one = filedOf(upsell);
      filed.set(upsell.id, one);
      count(one, 1);
      for (const key of one.keys) {
        const bucket = byKey.get(key);
        if (bucket) bucket.add(one);
        else byKey.set(key, new Set([one]));
      }
    },
    remove,
    candidates: (asked: UpsellQuery): readonly ReferenceUpsell[] => {
      if (filed.size === 0) return [];
      const found = new Set<Filed>(byKey.get(null));
      for (const key of asked.keys()) for (const one of byKey.get(key) ?? []) found.add(one);
      const isInForce = ({ from, until, upsell }: Filed): boolean =>
        from <= asked.now && asked.now <= until && isFor(upsell, asked);
      return [...found]
        .filter(isInForce)
        .sort(byPriority)
        .map(({ upsell }) => upsell);
    },
    addsByItself: (): boolean => counts.autoAdd > 0,
    asksWhoBuys: (): boolean => counts.asksWho > 0,
    offersAfterwards: (): boolean => counts.afterwards > 0,
    clear: (): void => {
      filed.clear();
      byKey.clear();
      counts.autoAdd = 0;
      counts.asksWho = 0;
      counts.afterwards = 0;
    },
  };
};

/** Upsell rules by id, and by what triggers them. */
export const createUpsellReference = (): UpsellReference & ReferencePart => {
  const index = createUpsellIndex();
  const { entries, put, change, remove, kept } = createDatedEntries<ReferenceUpsell>({
    ...index,
    remove: ({ id }) => index.remove(id),
  });
  const on: Fold<UpsellRuleEvent> = {
    UpsellRuleCreated: ({ stream, data: { rule, status } }) => put({ id: idOf(stream), rule, status }),
    UpsellRuleChanged: ({ stream, data: { rule, status } }) => change(stream, { rule, status }),
    UpsellRuleActivated: ({ stream, data: { status } }) => change(stream, { status }),
    UpsellRuleDeactivated: ({ stream }) => change(stream, { status: 'Disabled' }),
    UpsellRuleExpired: ({ stream }) => change(stream, { status: 'Expired' }),
    UpsellRuleDeleted: ({ stream }) => remove(stream),
  };

  return {
    ...kept,
    any: () => entries.size > 0,
    candidates: index.candidates,
    addsByItself: index.addsByItself,
    asksWhoBuys: index.asksWhoBuys,
    offersAfterwards: index.offersAfterwards,
    name: 'upsells',
    version: 1,
    on,
  };
};
