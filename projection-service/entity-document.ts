import type { Entity } from '#kernel/entity.ts';
import type { Document, IndexSpec } from '#kernel/projection.ts';
import { searchTextOf } from '#values/search.ts';

/** An entity as its list holds it: in the shape that its events have. */
export interface EntityDocument<Fields> extends Document, Omit<Entity<Fields>, 'id'> {
  /** Names and codes in lower case, the name first: what `search` looks through and `sortBy=name` sorts by. */
  readonly searchText: string;
}

/** What a managed list can be sorted by. */
export const entityIndexes: readonly IndexSpec[] = [{ fields: ['dateCreated'] }, { fields: ['searchText'] }];

type Names = readonly (string | null)[];

/** `at`: the event's own time. */
export const createdEntity = <Fields>(
  id: string,
  fields: Fields,
  names: Names,
  at: string,
): EntityDocument<Fields> => ({
  _id: id,
  fields,
  dateCreated: at,
  dateUpdated: at,
  searchText: searchTextOf(names),
});

/** The entity after a change; null, no change, where it does not exist. */
export const changedEntity = <Doc extends EntityDocument<unknown>>(
  document: Doc | null,
  fields: Doc['fields'],
  names: Names,
  at: string,
): Doc | null => document && { ...document, fields, dateUpdated: at, searchText: searchTextOf(names) };

export const entityOf = <Fields>({
  _id,
  fields,
  dateCreated,
  dateUpdated,
}: EntityDocument<Fields>): Entity<Fields> => ({ id: _id, fields, dateCreated, dateUpdated });
