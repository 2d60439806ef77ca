import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { Discount } from '#entities/discount.entity.ts';
import type { Reference } from '#reference/reference.ts';
import { targetKey, type TargetType } from '#values/discount-targets.ts';
import { customerStream } from '../customers/customer.stream.ts';

type Sources = Pick<CommandDeps, 'reference' | 'streams'>;

/** What one of a kind of target is called, and whether the shop has it. Tags are free texts. */
const known: Readonly<
  Record<
    Exclude<TargetType, 'AllProducts' | 'Tags' | 'Skus'>,
    readonly [noun: string, has: (reference: Reference, id: string) => boolean]
  >
> = {
  SpecificProducts: [
    'product',
    ({ catalogue }, id) => catalogue.variant(id) !== undefined || catalogue.product(id) !== undefined,
  ],
  Collections: ['collection', ({ entities }, id) => entities.has('collection', id)],
  ProductFilters: ['filter', ({ entities }, id) => entities.has('filter', id)],
  ProductTypes: ['product type', ({ entities }, id) => entities.has('productType', id)],
  Suppliers: ['supplier', ({ entities }, id) => entities.has('supplier', id)],
  Warehouses: ['warehouse', ({ entities }, id) => entities.has('warehouse', id)],
};

const unknownAmong = (
  ids: readonly string[],
  path: string,
  noun: string,
  has: (id: string) => boolean,
): readonly string[] =>
  ids.flatMap((id, index) => (has(id) ? [] : [`${path}.${index}: an existing ${noun} was expected`]));

/** Of those that no variant has letter by letter, what none has in another case either: one look at all of them. */
const unknownSkus = ({ catalogue }: Reference, skus: readonly string[], path: string): readonly string[] => {
  const keyOf = (sku: string): string => targetKey('Skus', sku);
  const missing = new Set(skus.filter((sku) => catalogue.variantBySku(sku) === undefined).map(keyOf));
  for (const { variants } of missing.size === 0 ? [] : catalogue.products())
    for (const { sku } of variants) missing.delete(keyOf(sku));
  return unknownAmong(skus, path, 'sku', (sku) => !missing.has(keyOf(sku)));
};

const unknownTargets = (
  reference: Reference,
  type: TargetType,
  ids: readonly string[],
  path: string,
): readonly string[] => {
  if (type === 'AllProducts' || type === 'Tags') return [];
  if (type === 'Skus') return unknownSkus(reference, ids, path);
  const [noun, has] = known[type];
  return unknownAmong(ids, path, noun, (id) => has(reference, id));
};

const unknownBuyers = async (
  { reference, streams }: Sources,
  { eligibilityType, ids }: Discount['eligibilityRules'][number],
  path: string,
): Promise<readonly string[]> => {
  const { entities } = reference;
  if (eligibilityType === 'CustomerSegments')
    return unknownAmong(ids, path, 'customer segment', (id) => entities.has('customerSegment', id));
  // Customers are too many to be kept in memory: their streams are asked.
  const states = await Promise.all(ids.map((id) => streams.load(customerStream, id)));
  const there = new Set(ids.filter((_, index) => states[index]?.state.status === 'known'));
  return unknownAmong(ids, path, 'customer', (id) => there.has(id));
};

/** What the given fields of a rule name and the shop does not have (docs/rules/discounts.md#targets). */
export const unknownIn = async (
  { targetRules = [], eligibilityRules = [], buyXGetY, freeShipping }: Partial<Discount>,
  sources: Sources,
): Promise<readonly string[]> => {
  const { reference } = sources;
  const buyers = await Promise.all(
    eligibilityRules.map((rule, index) => unknownBuyers(sources, rule, `eligibilityRules.${index}.ids`)),
  );
  return [
    ...targetRules.flatMap(({ targetType, targetIds }, index) =>
      unknownTargets(reference, targetType, targetIds, `targetRules.${index}.targetIds`),
    ),
    ...buyers.flat(),
    ...(buyXGetY
      ? [
          ...unknownTargets(
            reference,
            buyXGetY.buyTargetType,
            buyXGetY.buyTargetIds,
            'buyXGetY.buyTargetIds',
          ),
          ...unknownTargets(
            reference,
            buyXGetY.getTargetType,
            buyXGetY.getTargetIds,
            'buyXGetY.getTargetIds',
          ),
        ]
      : []),
    ...unknownAmong(
      freeShipping?.allowedShippingOptionIds ?? [],
      'freeShipping.allowedShippingOptionIds',
      'shipping option',
      (id) => reference.shipping.option(id) !== undefined,
    ),
  ];
};
