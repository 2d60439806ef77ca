import type { CommandDeps } from '#command/engine/service-deps.ts';
import { knownResources, unknownAmong } from '#command/engine/unknown-resources.ts';
import type { Upsell } from '#entities/upsell-rule.entity.ts';
import type { Reference } from '#reference/reference.ts';
import { namesProducts, type TriggerType } from '#values/upsells.ts';
import { unknownBuyers } from '../customers/customer.stream.ts';

type Sources = Pick<CommandDeps, 'reference' | 'streams'>;

const unknownNamed = (
  reference: Reference,
  type: TriggerType,
  ids: readonly string[],
  path: string,
): readonly string[] => {
  if (!namesProducts(type)) return [];
  const [noun, has] = knownResources[type];
  return unknownAmong(ids, path, noun, (id) => has(reference, id));
};

const unknownFilters = ({ entities }: Reference, ids: readonly string[], path: string): readonly string[] =>
  unknownAmong(
    ids,
    path,
    'filter group or filter',
    (id) => entities.has('filterGroup', id) || entities.has('filter', id),
  );

/** References of a rule that do not exist (docs/rules/upsells.md#rules). */
export const unknownInRule = async (
  { triggerRules = [], recommendationRules = [], eligibilityRules = [] }: Partial<Upsell>,
  sources: Sources,
): Promise<readonly string[]> => {
  const { reference } = sources;
  const buyers = await Promise.all(
    eligibilityRules.map((rule, index) => unknownBuyers(sources, rule, `eligibilityRules.${index}.ids`)),
  );
  return [
    ...triggerRules.flatMap(({ triggerType, triggerIds, extractFilterIds }, index) => [
      ...unknownNamed(reference, triggerType, triggerIds, `triggerRules.${index}.triggerIds`),
      ...unknownFilters(reference, extractFilterIds, `triggerRules.${index}.extractFilterIds`),
    ]),
    ...recommendationRules.flatMap(({ recommendationType, ids, matchFilterIds }, index) => [
      ...unknownNamed(reference, recommendationType, ids, `recommendationRules.${index}.ids`),
      ...unknownFilters(reference, matchFilterIds, `recommendationRules.${index}.matchFilterIds`),
    ]),
    ...buyers.flat(),
  ];
};
