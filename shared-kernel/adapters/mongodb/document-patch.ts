import type { UpdateFilter } from 'mongodb';

import type { IndexSpec } from '#kernel/projection.ts';
import { pathOf } from '#ports/document-rules.ts';
import type { Patch } from '#ports/document-store.ts';
import { placeOf, storedValue, type Row } from './document-row.ts';

/**
 * The patch as an update of MongoDB; null where only the shared rule (`applyPatch`) gives the right document: paths
 * that meet, parts that an array would take for places, fields of a unique index (whose exemptions depend on the rest
 * of the document), and a patch that changes nothing. Throws TypeError for what cannot be a path.
 */
export function updateOf(
  { set = {}, unset = [], increment = {} }: Patch,
  uniques: readonly IndexSpec[],
): UpdateFilter<Row> | null {
  const setting = Object.entries(set).filter(([, value]) => value !== undefined);
  const paths = [...setting.map(([field]) => field), ...unset, ...Object.keys(increment)];
  const isNumbered = paths.some((field) => pathOf(field).some((part) => /^\d+$/.test(part)));
  const indexed = uniques.flatMap(({ fields }) => fields);
  if (paths.length === 0 || isNumbered || doMeet(paths) || paths.some((path) => meetsAny(path, indexed))) {
    return null;
  }
  if (paths.some((field) => pathOf(field)[0] === '_id')) {
    throw new TypeError('the _id of a document never changes');
  }
  const operators = {
    $set: setting.map(([field, value]) => [field, storedValue(value)] as const),
    $unset: unset.map((field) => [field, ''] as const),
    $inc: Object.entries(increment),
  };
  return Object.fromEntries(
    Object.entries(operators)
      .filter(([, operands]) => operands.length > 0)
      .map(([name, operands]) => [
        name,
        Object.fromEntries(operands.map(([field, operand]) => [placeOf(field), operand])),
      ]),
  );
}

/** One is the other, or leads to it. */
const meet = (one: string, other: string): boolean =>
  `${one}.`.startsWith(`${other}.`) || `${other}.`.startsWith(`${one}.`);

const meetsAny = (path: string, others: readonly string[]): boolean =>
  others.some((other) => meet(path, other));

const doMeet = (paths: readonly string[]): boolean =>
  paths.some((path, index) => meetsAny(path, paths.slice(index + 1)));
