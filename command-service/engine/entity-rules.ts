import type { EntityType } from '#entities/define-entity.ts';
import type { Command, Decider } from '#kernel/decider.ts';
import {
  problemsOf,
  type EntityCommand,
  type EntityContext,
  type EntityState,
  type FieldRule,
} from '#kernel/entity.ts';
import type { DomainEvent } from '#kernel/event.ts';
import type { EntityReference } from '#reference/reference.ts';
import type { UniqueValue } from './claims.ts';
import type { CommandMeta } from './command-engine.ts';
import type { CommandDeps } from './service-deps.ts';
import type { StoreReference } from './store-reference.ts';

export type EntityDecider<Fields, New, Own extends Command, Event extends DomainEvent> = Decider<
  EntityState<Fields>,
  EntityCommand<Fields, New> | Own,
  Event,
  EntityContext<Fields>
>;

/** What the command service adds to a declared kind, where there is anything to add. */
export interface EntityRules<
  Fields,
  New = Fields,
  Own extends Command = never,
  Event extends DomainEvent = DomainEvent,
> {
  readonly rules?: readonly FieldRule<Fields>[];
  /** What else stands in the way of a deletion beside the resources and products that name it, in words. */
  readonly dependents?: (
    id: string,
    sources: Pick<CommandDeps, 'settings' | 'reference'>,
  ) => readonly string[];
  /** Which of the given fields name what the shop does not have, where the declaration does not say it. */
  readonly unknown?: (
    given: Partial<Fields>,
    sources: Pick<CommandDeps, 'reference' | 'streams' | 'checkAddress'>,
  ) => Promise<readonly string[]>;
  /** Where there are commands of its own, or fields that follow from others. */
  readonly decider?: EntityDecider<Fields, New, Own, Event>;
  /** Does what a change needs before and after it is saved; its position is that of the last thing done. */
  readonly around?: <Saved extends { readonly position: number }>(
    id: string,
    change: { readonly before: Fields; readonly now: Fields },
    save: () => Promise<Saved>,
    sources: CommandDeps,
    meta: CommandMeta,
  ) => Promise<Saved>;
  /** Takes away what stands in the way of a deletion and may go with it; nothing where something else does. */
  readonly clearAway?: (id: string, sources: CommandDeps, meta: CommandMeta) => Promise<unknown>;
  /** Fields of its parts that hold keys of a store file. */
  readonly storeReferences?: readonly StoreReference[];
  /** The figures that it declares, as far as they are known. */
  readonly figures?: (
    id: string,
    sources: Pick<CommandDeps, 'reference'>,
  ) => Readonly<Record<string, number>>;
}

/** The rules of a kind, which keep its type to themselves. */
export interface DeclaredRules {
  readonly category: string;
  readonly rules: EntityRules<object>;
}

export const rulesFor = <Fields, New, Own extends Command, Event extends DomainEvent>(
  { category }: EntityType<Fields, New>,
  rules: EntityRules<Fields, New, Own, Event>,
): DeclaredRules => ({ category, rules: rules as unknown as EntityRules<object> });

type Data = Readonly<Record<string, unknown>>;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** Fields that name something of another kind that the shop does not have. */
const unknownReferences = (
  references: Readonly<Record<string, string>>,
  nounOf: (category: string) => string,
  reference: EntityReference,
  fields: Data,
): readonly string[] =>
  Object.entries(references).flatMap(([field, category]) =>
    listOf(fields[field]).flatMap((id, index) => {
      if (typeof id !== 'string' || reference.has(category, id)) return [];
      const path = Array.isArray(fields[field]) ? `${field}.${index}` : field;
      return [`${path}: must be an existing ${nounOf(category)}`];
    }),
  );

/** Fields that only one may have together, named by the last of them that says something. */
const together = (unique: EntityType['uniqueTogether'], fields: Data): readonly UniqueValue[] => {
  if (unique === null) return [];
  const said = unique.fields.filter((field) => typeof fields[field] === 'string');
  const field = said.at(-1);
  if (field === undefined) return [];
  return [{ kind: unique.kind, value: said.map((one) => String(fields[one])).join(' '), field }];
};

/** What rules and declaration say of fields. `kinds`: those that may be referred to, by whose nouns people are told. */
export const rulesOf = <Fields extends object>(
  { references, unique, uniqueTogether }: Pick<EntityType, 'references' | 'unique' | 'uniqueTogether'>,
  rules: readonly FieldRule<Fields>[],
  kinds: readonly Pick<EntityType, 'category' | 'noun'>[],
  reference: EntityReference,
) => {
  const nounOf = (category: string): string =>
    kinds.find((kind) => kind.category === category)?.noun ?? category;
  const ruleProblems = (fields: Partial<Fields>): readonly string[] => problemsOf(rules, fields);
  return {
    /** What is wrong with the fields that are given. */
    ruleProblems,
    /** The same, with what they name. */
    problems: (fields: Partial<Fields>): readonly string[] => [
      ...unknownReferences(references, nounOf, reference, fields as Data),
      ...ruleProblems(fields),
    ],
    uniqueValues: (fields: Partial<Fields>): readonly UniqueValue[] => [
      ...Object.entries(unique).flatMap(([field, { kind, inCase, within }]) => {
        const value = (fields as Data)[field];
        if (typeof value !== 'string' || value === '') return [];
        const compared = inCase === 'lower' ? value.toLowerCase() : value.toUpperCase();
        const place = within === undefined ? '' : `${String((fields as Data)[within])} `;
        return [{ kind, value: place + compared, field }];
      }),
      ...together(uniqueTogether, fields as Data),
    ],
  };
};

/** What a change would alter although it stays as it was created. */
export const fixedProblems = (fixed: readonly string[], given: object, known: object): readonly string[] =>
  fixed
    .filter((field) => field in given && (given as Data)[field] !== (known as Data)[field])
    .map((field) => `${field}: must be ${String((known as Data)[field])}, which cannot be changed`);

/** What is known of a thing after a change that is refused: no field that the body names and gets wrong. */
export const afterChange = <Fields extends object>(
  known: Partial<Fields>,
  body: unknown,
  valid: Partial<Fields>,
): Partial<Fields> => {
  const untouched = Object.entries(known).filter(([field]) => !(field in (body as object)));
  return { ...(Object.fromEntries(untouched) as Partial<Fields>), ...valid };
};
