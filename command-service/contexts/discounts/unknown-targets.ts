import type { CommandDeps } from '#command/engine/service-deps.ts';
import { knownResources, unknownAmong } from '#command/engine/unknown-resources.ts';
import type { Discount } from '#entities/discount.entity.ts';
import type { Reference } from '#reference/reference.ts';
import { targetKey, type TargetType } from '#values/discount-targets.ts';
import { unknownBuyers } from '../customers/customer.stream.ts';

type Sources = Pick<CommandDeps, 'reference' | 'streams'>;

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
  const [noun, has] = knownResources[type];
  return unknownAmong(ids, path, noun, (id) => has(reference, id));
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
