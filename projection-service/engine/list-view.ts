import type { ListQuery } from '#contracts/listing.contract.ts';
import type { Document } from '#kernel/projection.ts';
import type { Filter } from '#ports/document-store.ts';
import type { ViewReader } from './reader.ts';

/** How a list is sorted: the fields behind each `sortBy`, and what an unknown one falls back to. */
export interface ListOrder {
  readonly fields: Readonly<Record<string, string>>;
  readonly newest: string;
}

/** `sortBy` in any case; an unknown one, or none, means newest first (decisions, backoffice 0.6). */
const sortOf = ({ sortBy, sortDirection }: ListQuery, { fields, newest }: ListOrder) => {
  const wanted = sortBy?.toLowerCase();
  const field = Object.keys(fields).find((name) => name.toLowerCase() === wanted);
  const sortField = field === undefined ? undefined : fields[field];
  if (sortField === undefined) return [[newest, -1]] as const;
  return [[sortField, sortDirection === 'desc' ? -1 : 1]] as const;
};

/** Any document: what serves a count of conditions that no index of their own serves. */
const anyId: Filter = { _id: { gte: '' } };

/** One page of a view, and how many documents there are in all. */
export const listView = async <Doc extends Document>(
  reader: ViewReader,
  view: string,
  query: ListQuery,
  order: ListOrder,
  filter: Filter,
): Promise<{ readonly documents: readonly Doc[]; readonly totalItems: number }> => {
  const { page, pageSize } = query;
  const skip = (page - 1) * pageSize;
  const documents = await reader.find<Doc>(view, {
    filter,
    sort: sortOf(query, order),
    skip,
    limit: pageSize,
  });
  // The last page tells how many there are: what a search has looked through is not looked through again.
  const isLast = documents.length < pageSize && (documents.length > 0 || skip === 0);
  if (isLast) return { documents, totalItems: skip + documents.length };
  const isFiltered = Object.keys(filter).length > 0;
  const totalItems = await reader.count(view, isFiltered ? { ...anyId, ...filter } : {});
  return { documents, totalItems };
};
