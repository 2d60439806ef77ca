import { expect } from 'chai';
import fc from 'fast-check';
import { discount as kind, type Discount, type DiscountRule } from '#entities/discount.entity.ts';
import type { Recorded } from '#kernel/event.ts';
import { createDiscountReference } from '#reference/discounts.reference.ts';
import { applyEvent } from '#reference/reference-part.ts';
import type { BasketTraits } from '#reference/reference.ts';
import type { LineTraits, TargetType } from '#values/discount-targets.ts';
import { streamOf } from '#values/stream-name.ts';
import { idNamed, percentOff } from '#test/support/builders/basket.ts';
import { inStream, recordedEvents, type GivenEvent } from '#test/support/given.ts';
import { restarted } from '#test/support/restart-part.ts';

const { DiscountCreated, DiscountChanged, DiscountDeactivated, DiscountDeleted } = kind.events.create;

type Status = Discount['status'];
interface Change {
  readonly name: string;
  readonly rule: DiscountRule;
  readonly status: Status | 'Deleted';
}

const plain = percentOff('any', 10).rule;
const day = (number: number): string => new Date(Date.UTC(2030, 0, number)).toISOString();
const pick = (...names: readonly string[]) => fc.constantFrom(...names);

const things: Readonly<Record<TargetType, readonly string[]>> = {
  AllProducts: [],
  SpecificProducts: ['mug', 'pot', 'root mug', 'root pot'].map(idNamed),
  Collections: ['spring', 'sale'].map(idNamed),
  ProductFilters: ['blue', 'red'].map(idNamed),
  ProductTypes: ['ware', 'food'].map(idNamed),
  Suppliers: ['ann', 'ben'].map(idNamed),
  Warehouses: ['east', 'west'].map(idNamed),
  Tags: ['Gift', 'Glass'],
  Skus: ['MUG', 'pot'],
};
const some = (values: readonly string[]) =>
  fc.subarray([...values], { minLength: Math.min(1, values.length) });
const target = fc
  .constantFrom(...(Object.keys(things) as TargetType[]))
  .chain((targetType) =>
    fc.record({ targetType: fc.constant(targetType), targetIds: some(things[targetType]) }),
  );

const rule = fc
  .record({
    category: fc.constantFrom('AmountOffProducts', 'BuyXGetY', 'AmountOffOrder', 'FreeShipping'),
    method: fc.constantFrom('Automatic', 'Automatic', 'Code'),
    from: fc.integer({ min: 1, max: 20 }),
    lasts: fc.option(fc.integer({ min: 0, max: 10 })),
    minimum: fc.constantFrom(null, 0, 2),
    targetRules: fc.array(
      fc.tuple(target, fc.boolean()).map(([one, isExclusion]) => ({ ...one, isExclusion })),
      { maxLength: 2 },
    ),
    eligibilityRules: fc.array(
      fc.oneof(
        fc.constant({ eligibilityType: 'AllCustomers' as const, ids: [] as string[] }),
        fc.record({
          eligibilityType: fc.constant('CustomerSegments' as const),
          ids: some(['vip', 'new'].map(idNamed)),
        }),
        fc.record({
          eligibilityType: fc.constant('SpecificCustomers' as const),
          ids: some(['ada', 'bob'].map(idNamed)),
        }),
      ),
      { maxLength: 2 },
    ),
    buy: target,
    get: target,
  })
  .map(
    ({ category, method, from, lasts, minimum, targetRules, eligibilityRules, buy, get }): DiscountRule => ({
      ...plain,
      category,
      method,
      code: null,
      startsAt: day(from),
      endsAt: lasts === null ? null : day(from + lasts),
      minimumQuantity: minimum,
      targetRules,
      eligibilityRules,
      buyXGetY:
        category === 'BuyXGetY'
          ? {
              buyTriggerType: 'MinimumQuantity',
              buyTriggerValue: 1,
              buyTargetType: buy.targetType,
              buyTargetIds: buy.targetIds,
              getQuantity: 1,
              getTargetType: get.targetType,
              getTargetIds: get.targetIds,
              getValueType: 'Free',
              getValue: 0,
              selectionMethod: 'Cheapest',
            }
          : null,
    }),
  );

const change: fc.Arbitrary<Change> = fc.record({
  name: pick('a', 'b', 'c', 'd', 'e', 'f'),
  rule,
  status: fc.constantFrom<Change['status']>(
    'Active',
    'Active',
    'Scheduled',
    'Expired',
    'Draft',
    'Disabled',
    'Deleted',
  ),
});

const orNot = (type: TargetType) => fc.constantFrom(null, ...things[type]);
const line: fc.Arbitrary<LineTraits> = fc
  .record({
    product: pick('mug', 'pot', 'dish'),
    productTypeId: orNot('ProductTypes'),
    collectionIds: fc.subarray([...things.Collections]),
    filterIds: fc.subarray([...things.ProductFilters]),
    tags: fc.subarray(['gift', 'GLASS']),
    supplierId: orNot('Suppliers'),
    warehouseId: orNot('Warehouses'),
  })
  .map(({ product, ...rest }) => ({
    productId: idNamed(product),
    rootId: idNamed(`root ${product}`),
    sku: product,
    ...rest,
  }));
const basket = fc.record({
  lines: fc.array(line, { maxLength: 3 }),
  buyer: fc.constantFrom(
    { customerId: null, segmentIds: [] },
    { customerId: idNamed('ada'), segmentIds: [] },
    { customerId: idNamed('eve'), segmentIds: [idNamed('vip')] },
  ),
});

const same = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

const isTarget = (type: TargetType, ids: readonly string[], of: LineTraits): boolean => {
  const own: Readonly<Record<TargetType, readonly (string | null)[]>> = {
    AllProducts: [],
    SpecificProducts: [of.productId, of.rootId],
    Collections: of.collectionIds,
    ProductFilters: of.filterIds,
    ProductTypes: [of.productTypeId],
    Suppliers: [of.supplierId],
    Warehouses: [of.warehouseId],
    Tags: of.tags,
    Skus: [of.sku],
  };
  return (
    type === 'AllProducts' || ids.some((id) => own[type].some((mine) => mine !== null && same(mine, id)))
  );
};

/** Looks at every rule, one by one. */
const scan = (rules: ReadonlyMap<string, Change>, { lines, buyer }: BasketTraits, now: number): string[] => {
  const all = [...lines];
  const isBuyer = (one: DiscountRule['eligibilityRules'][number]): boolean =>
    one.eligibilityType === 'AllCustomers' ||
    one.ids.some((id) => id === buyer.customerId || buyer.segmentIds.includes(id));
  return [...rules].flatMap(([name, { rule: one, status }]) => {
    if (one.method !== 'Automatic' || (status !== 'Active' && status !== 'Scheduled')) return [];
    if (Date.parse(one.startsAt) > now || (one.endsAt !== null && Date.parse(one.endsAt) < now)) return [];
    if (one.eligibilityRules.length > 0 && !one.eligibilityRules.some(isBuyer)) return [];
    const inclusions = one.targetRules.filter(({ isExclusion }) => !isExclusion);
    const isProductRule = one.category === 'AmountOffProducts' || one.category === 'BuyXGetY';
    const asksForLines = isProductRule || (one.minimumQuantity ?? 0) > 0;
    const hits = (type: TargetType, ids: readonly string[]): boolean =>
      type === 'AllProducts' || all.some((of) => isTarget(type, ids, of));
    if (asksForLines && inclusions.length > 0 && !inclusions.some((to) => hits(to.targetType, to.targetIds)))
      return [];
    const { buyXGetY: pair } = one;
    if (pair && !hits(pair.buyTargetType, pair.buyTargetIds)) return [];
    if (pair && !hits(pair.getTargetType, pair.getTargetIds)) return [];
    return [idNamed(name)];
  });
};

const eventOf = (known: boolean, { name, rule: one, status }: Change): readonly GivenEvent[] => {
  const at = day(1);
  const stream = streamOf.discount(idNamed(name));
  if (status === 'Deleted') return inStream(stream, DiscountDeleted({}));
  if (known && status === 'Disabled') return inStream(stream, DiscountDeactivated({ at }));
  return inStream(stream, (known ? DiscountChanged : DiscountCreated)({ rule: one, status, at }));
};

describe('the automatic discounts that a basket is priced with', () => {
  it('are those that a look at every rule finds, whatever has changed and however time goes', () => {
    const step = fc.record({
      changes: fc.array(change, { maxLength: 4 }),
      hour: fc.integer({ min: 0, max: 800 }),
    });
    // The same baskets again and again: what has been found for their products must not outlive a change.
    const baskets = fc.array(basket, { minLength: 1, maxLength: 2 });
    fc.assert(
      fc.property(baskets, fc.array(step, { minLength: 1, maxLength: 8 }), (all, steps) => {
        const reference = createDiscountReference();
        const rules = new Map<string, Change>();
        let position = 0;
        for (const [at, { changes, hour }] of steps.entries()) {
          for (const one of changes) {
            const before = rules.get(one.name);
            if (one.status === 'Deleted' && !before) continue;
            const [event] = recordedEvents(eventOf(before !== undefined, one)) as [Recorded];
            applyEvent(reference, { ...event, position: ++position });
            if (one.status === 'Deleted') rules.delete(one.name);
            else
              rules.set(
                one.name,
                before && one.status === 'Disabled' ? { ...before, status: 'Disabled' } : one,
              );
          }
          const now = Date.parse(day(1)) + hour * 3_600_000;
          const asked = all[at % all.length] as BasketTraits;
          const expected = scan(rules, asked, now);
          const found = (part: typeof reference) => part.candidates(asked, now).map(({ id }) => id);
          expect(found(reference)).to.have.members(expected);
          expect(found(restarted(createDiscountReference(), reference))).to.have.members(expected);
        }
      }),
      { numRuns: 300 },
    );
  });
});
