import type { IndexSpec } from '#kernel/projection.ts';
import { operatorsOf } from '#ports/document-rules.ts';
import type { Condition, Filter, FindOptions } from '#ports/document-store.ts';

// Which reads take no longer than a few documents do. node:sqlite runs in the caller's thread, and everything else on
// that thread waits.

/** The most documents examined at a time, whatever the query. */
export const SHORT_READ = 250;

/**
 * True when a find looks at no more documents than it skips and answers, and those are few: its conditions and its sort
 * are the beginning of one index, so that nothing is looked at in vain and nothing sorted.
 */
export const isShortFind = (
  indexes: readonly IndexSpec[],
  { filter, sort, skip, limit }: Required<FindOptions>,
  shortRead: number,
): boolean => {
  if (findsNothing(filter)) return true;
  if (skip + limit > shortRead) return false;
  const places = [['_id'], ...indexes.map(({ fields }) => [...fields, '_id'])];
  return places.some((fields) => isInOrder(fields, filter, sort));
};

/** Whether an index of these fields holds what is asked for in one piece and in order. */
export const isInOrder = (
  fields: readonly string[],
  filter: Filter,
  sort: NonNullable<FindOptions['sort']>,
): boolean => {
  const isEqual = (field: string): boolean => {
    const condition = filter[field];
    return condition !== undefined && isOneValue(field, condition);
  };
  const firstFree = fields.findIndex((field) => !isEqual(field));
  const equal = new Set(firstFree < 0 ? fields : fields.slice(0, firstFree));
  const ordered = firstFree < 0 ? [] : fields.slice(firstFree);
  const others = Object.keys(filter).filter((field) => !equal.has(field));
  const isRange = others.every((field) => field === ordered[0] && isBetween(field, filter[field]));
  if (!isRange) return false;
  // Everything is sorted by `_id` at last, which stands at the end of every index.
  const wanted = sort.filter(([field]) => !equal.has(field));
  const asked = wanted.at(-1)?.[0] === '_id' ? wanted : [...wanted, ['_id', 1] as const];
  return (
    equal.has('_id') ||
    asked.every(([field, direction], place) => {
      const isTie = field === '_id' && place > 0;
      return field === ordered[place] && (isTie || direction === asked[0]?.[1]);
    })
  );
};

/** Whether a field is to have one of no values. */
const findsNothing = (filter: Filter): boolean =>
  Object.entries(filter).some(([field, condition]) => operatorsOf(field, condition).in?.length === 0);

/** A scalar, or `in` with one. */
const isOneValue = (field: string, condition: Condition): boolean => {
  const { in: values, ...others } = operatorsOf(field, condition);
  return values?.length === 1 && Object.keys(others).length === 0;
};

const isBetween = (field: string, condition: Condition | undefined): boolean => {
  if (condition === undefined) return false;
  const operators = Object.keys(operatorsOf(field, condition));
  return operators.every((operator) => ['gt', 'gte', 'lt', 'lte'].includes(operator));
};
