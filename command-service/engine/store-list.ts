import type { CurrencyOf } from '#fields/body-fields.ts';
import type { BodySchema } from '#contracts/store-file.contract.ts';
import { entities } from '#entities/entities.ts';
import type { EntityReference } from '#reference/reference.ts';
import type { CommandMeta } from './command-engine.ts';
import type { EntityActions } from './entity.actions.ts';
import { fixedProblems } from './entity-rules.ts';
import { referenceTo, type StoreReference } from './store-reference.ts';

interface Outcome {
  readonly hasChanged: boolean;
}

/** A value that no two entries of a file may share. */
export interface UniqueEntryValue {
  readonly kind: string;
  readonly value: string;
  /** Within the entry. */
  readonly path: string;
}

/** One list of a store file: how its entries are read, and where they go. `idOfVariant` is asked for products only. */
export interface StoreList<New = object, Changes = object> {
  readonly name: string;
  /** Fields that name entries of other lists by their keys. */
  readonly references: readonly StoreReference[];
  /** The bodies of the management API: of something new, and of what is there already. */
  readonly create: BodySchema<New>;
  readonly change: BodySchema<Changes>;
  /** What is wrong with an entry as a whole or stands in its way in the shop, as `path: what was expected`. */
  problemsOf(id: string, entry: New): readonly string[] | Promise<readonly string[]>;
  uniqueIn(entry: New): readonly UniqueEntryValue[];
  exists(id: string): Promise<boolean>;
  createEntry(
    id: string,
    entry: New,
    meta: CommandMeta,
    idOfVariant: (sku: string) => string,
  ): Promise<Outcome>;
  changeEntry(
    id: string,
    entry: Changes,
    meta: CommandMeta,
    idOfVariant: (sku: string) => string,
  ): Promise<Outcome>;
}

/** The lists of a store that is kept in this currency. */
export type StoreListsFor = (currency: CurrencyOf) => readonly StoreList[];

/** Keeps the type of its entries to itself. */
export const storeList = <New extends object, Changes extends object>(
  list: StoreList<New, Changes>,
): StoreList => list as unknown as StoreList;

const listOf = (category: string): string =>
  entities.find((kind) => kind.category === category)?.list ?? category;

type Data = Readonly<Record<string, unknown>>;

/** The list of a declared kind. */
export const entityList = (
  actions: EntityActions,
  currency: CurrencyOf,
  reference: EntityReference,
  references: readonly StoreReference[] = [],
): StoreList => {
  const { kind, uniqueValues, ruleProblems } = actions;
  // A store file says in full what the management API would make of it.
  const stored = (entry: object): object => kind.stored(entry, null, currency());
  const changedForGood = (id: string, entry: object): readonly string[] => {
    const known = reference.find(kind.category, id);
    return known ? fixedProblems([...kind.fixed, ...kind.immutable], entry, known) : [];
  };
  return {
    name: kind.list,
    references: [
      ...Object.entries(kind.references).map(([field, category]) => referenceTo(field, listOf(category))),
      ...references,
    ],
    create: kind.createBody(currency),
    change: kind.changeBody(currency),
    problemsOf: (id, entry) => [
      ...ruleProblems(stored(entry)),
      ...changedForGood(id, stored(entry)),
      ...uniqueValues(stored(entry)).flatMap(({ kind: of, field, value }) => {
        const has = (fields: object): boolean =>
          uniqueValues(fields).some((own) => own.kind === of && own.value === value);
        const owner = reference.owner(kind, has);
        const given = (entry as Data)[field];
        return owner && owner.id !== id ? [`${field}: ${String(given)} belongs to ${owner.name}`] : [];
      }),
    ],
    uniqueIn: (entry) =>
      uniqueValues(stored(entry)).map(({ kind: of, value, field }) => ({ kind: of, value, path: field })),
    exists: (id) => actions.exists(id),
    createEntry: (id, entry, meta) => actions.create(id, entry, meta),
    changeEntry: (id, entry, meta) => actions.change(id, entry, meta),
  };
};
