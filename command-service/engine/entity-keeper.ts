import type { CurrencyOf } from '#contracts/management.contract.ts';
import type { EntityKind } from '#entities/define-entity.ts';
import { entityDecider, problemsOf, type FieldRule } from '#kernel/entity.ts';
import type { EntityReference } from '#reference/reference.ts';
import type { Claims, UniqueValue } from './claims.ts';
import { createEntities, type Entities } from './entities.ts';
import type { CommandDeps } from './service-deps.ts';

/** What the command service adds to a declared kind, where there is anything to add. */
export interface EntityRules<Fields> {
  readonly rules?: readonly FieldRule<Fields>[];
  /** What else stands in the way of a deletion beside the managed things and products that name it, in words. */
  readonly dependents?: (id: string, sources: Pick<CommandDeps, 'settings'>) => readonly string[];
}

/** The rules of a kind, which keep its type to themselves. */
export interface DeclaredRules {
  readonly category: string;
  readonly rules: EntityRules<object>;
}

export const rulesFor = <Fields extends object>(
  { category }: EntityKind<Fields>,
  rules: EntityRules<Fields>,
): DeclaredRules => ({ category, rules: rules as unknown as EntityRules<object> });

/** Keeps the managed things of one kind. */
export interface EntityKeeper<Fields extends object = object> extends Entities<Fields> {
  readonly kind: EntityKind<Fields>;
  /** What is wrong with those of the fields that are there. */
  problems(fields: Partial<Fields>): readonly string[];
  /** The same, whatever they name. */
  ruleProblems(fields: Partial<Fields>): readonly string[];
  uniqueValues(fields: Fields): readonly UniqueValue[];
  /** What the rules say of a body that is refused anyway; `id`: what it was to change, null for a creation. */
  problemsBeside(body: unknown, currency: CurrencyOf, id: string | null): Promise<readonly string[]>;
}

type Data = Readonly<Record<string, unknown>>;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** Fields that name something of another kind that the shop does not have. */
const unknownReferences = (
  { references }: EntityKind,
  nounOf: (category: string) => string,
  reference: EntityReference,
  fields: Data,
): readonly string[] =>
  Object.entries(references).flatMap(([field, category]) =>
    listOf(fields[field]).flatMap((id, index) => {
      if (typeof id !== 'string' || reference.has(category, id)) return [];
      const path = Array.isArray(fields[field]) ? `${field}.${index}` : field;
      return [`${path}: an existing ${nounOf(category)} was expected`];
    }),
  );

const uniqueValuesOf = ({ unique }: EntityKind, fields: Data): readonly UniqueValue[] =>
  Object.entries(unique).flatMap(([field, kind]) => {
    const value = fields[field];
    return typeof value === 'string' ? [{ kind, value: value.toLowerCase(), field }] : [];
  });

/** What is known of a thing after a change that is refused: no field that the body names and gets wrong. */
export const afterChange = <Fields extends object>(
  known: Partial<Fields>,
  body: unknown,
  valid: Partial<Fields>,
): Partial<Fields> => {
  const untouched = Object.entries(known).filter(([field]) => !(field in (body as object)));
  return { ...(Object.fromEntries(untouched) as Partial<Fields>), ...valid };
};

/** `kinds`: those that may be referred to, by whose nouns people are told. */
export const keepEntities = <Fields extends object>(
  kind: EntityKind<Fields>,
  { rules = [], dependents = () => [] }: EntityRules<Fields>,
  kinds: readonly EntityKind[],
  deps: CommandDeps,
  claims: Claims,
): EntityKeeper<Fields> => {
  const { catalogue, entities } = deps.reference;
  const { category, noun } = kind;
  const nounOf = (other: string): string => kinds.find((known) => known.category === other)?.noun ?? other;
  const ruleProblems = (fields: Partial<Fields>): readonly string[] => problemsOf(rules, fields);
  const problems = (fields: Partial<Fields>): readonly string[] => [
    ...unknownReferences(kind, nounOf, entities, fields as Data),
    ...ruleProblems(fields),
  ];
  const uniqueValues = (fields: Fields): readonly UniqueValue[] => uniqueValuesOf(kind, fields as Data);
  const usedBy = (id: string): readonly string[] => {
    const products = catalogue.productsThatUse(category, id).length;
    return [
      ...entities.users(category, id),
      ...(products > 0 ? [`${products} product(s)`] : []),
      ...dependents(id, deps),
    ];
  };
  const kept = createEntities(
    { decider: entityDecider(kind), noun, problems, dependents: usedBy, uniqueValues },
    deps,
    claims,
  );
  const problemsBeside: EntityKeeper<Fields>['problemsBeside'] = async (body, currency, id) => {
    const given = kind.validFields(body, currency, id === null);
    if (id === null) return problems(given);
    const known = await kept.load(id);
    return known === null ? [] : problems(afterChange(known, body, given));
  };
  return { ...kept, kind, problemsBeside, problems, ruleProblems, uniqueValues };
};
