import type { Document, IndexSpec } from '#kernel/projection.ts';

/** What the document of every managed entity carries besides the entity itself. */
export interface EntityFields extends Document {
  readonly dateCreated: string;
  readonly dateUpdated: string;
  /** Names and codes in lower case, the name first: what `search` looks through and `sortBy=name` sorts by. */
  readonly searchText: string;
}

/** An entity in the shape that its events have it, as its list holds it. */
export type EntityDocument<Entity> = Entity & EntityFields;

/** What a managed list can be sorted by. */
export const entityIndexes: readonly IndexSpec[] = [{ fields: ['dateCreated'] }, { fields: ['searchText'] }];

type Names = readonly (string | null)[];

export const searchTextOf = (names: Names): string =>
  names
    .filter((name) => name !== null)
    .join(' ')
    .toLowerCase();

/** `at`: the event's own time. */
export const createdEntity = <Entity>(
  id: string,
  entity: Entity,
  names: Names,
  at: string,
): EntityDocument<Entity> => ({
  ...entity,
  _id: id,
  dateCreated: at,
  dateUpdated: at,
  searchText: searchTextOf(names),
});

/** The entity after a change; null, nothing to change, where there is none. */
export const changedEntity = <Entity>(
  document: EntityDocument<Entity> | null,
  entity: Entity,
  names: Names,
  at: string,
): EntityDocument<Entity> | null =>
  document && { ...document, ...entity, dateUpdated: at, searchText: searchTextOf(names) };
