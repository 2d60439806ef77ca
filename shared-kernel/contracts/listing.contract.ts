import { z } from 'zod';
import { enumOf } from '#fields/body-fields.ts';

/** Paging, sorting and searching of every list of the management API (docs/rules/management.md#lists). */

const MAX_PAGE_SIZE = 200;
/** Beyond this a list is searched or filtered, not paged through. */
const MAX_PAGE = 1_000_000;

const clamped = (fallback: number, maximum: number) =>
  z.coerce
    .number('must be a whole number')
    .int('must be a whole number')
    .default(fallback)
    .transform((value) => Math.min(Math.max(value, 1), maximum));

type Direction = 'asc' | 'desc';
const direction = z
  .string()
  .transform((given): Direction => (given.toLowerCase() === 'desc' ? 'desc' : 'asc'));

/** Query fields of a list. Out-of-range pages and page sizes are clamped, never refused. */
export const listFields = (pageSize = 50, maxPageSize = MAX_PAGE_SIZE) => ({
  page: clamped(1, MAX_PAGE),
  pageSize: clamped(pageSize, maxPageSize),
  search: z.string().trim().max(250).optional(),
  sortBy: z.string().optional(),
  sortDirection: direction.optional(),
  /** Another name of `sortDirection`. */
  sortDir: direction.optional(),
});

/** The query of a list without filters of its own. */
export const listQuery = z.object(listFields());

/** Likewise, of one that has its own order. */
export const searchQuery = listQuery.pick({ page: true, pageSize: true, search: true });

/** A filter by an enum: name in any case or number; empty is no filter. */
export const enumFilter = <const Names extends Readonly<Record<string, number>>>(names: Names) =>
  z
    .string()
    .transform((given) => (given === '' ? undefined : /^\d+$/.test(given) ? Number(given) : given))
    .pipe(enumOf(names).optional())
    .optional();

export interface ListQuery {
  readonly page: number;
  readonly pageSize: number;
  readonly search?: string | undefined;
  readonly sortBy?: string | undefined;
  readonly sortDirection?: Direction | undefined;
  readonly sortDir?: Direction | undefined;
}

/** The direction under either of its names; `sortDirection` wins. */
export const directionOf = (
  { sortDirection, sortDir }: Pick<ListQuery, 'sortDirection' | 'sortDir'>,
  fallback: Direction = 'asc',
): Direction => sortDirection ?? sortDir ?? fallback;

/** The schema of a list's answer: items in the envelope that all lists share. */
export const pageSchema = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    page: z.int(),
    pageIndex: z.int(),
    currentPage: z.int(),
    pageSize: z.int(),
    totalItems: z.int(),
    totalPages: z.int(),
    hasPreviousPage: z.boolean(),
    hasNextPage: z.boolean(),
  });

/** A page of a list that is at hand as a whole. */
export const pageOfAll = <Item>(items: readonly Item[], query: Pick<ListQuery, 'page' | 'pageSize'>) => {
  const first = (query.page - 1) * query.pageSize;
  return pageResponse(items.slice(first, first + query.pageSize), items.length, query);
};

export const pageResponse = <Item>(
  items: readonly Item[],
  totalItems: number,
  { page, pageSize }: Pick<ListQuery, 'page' | 'pageSize'>,
) => {
  const totalPages = Math.ceil(totalItems / pageSize);
  return {
    items,
    page,
    pageIndex: page,
    currentPage: page,
    pageSize,
    totalItems,
    totalPages,
    hasPreviousPage: page > 1,
    hasNextPage: page < totalPages,
  };
};
