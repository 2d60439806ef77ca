import type { Document, IndexSpec } from '#kernel/projection.ts';
import { pathOf, valueAt } from '#ports/document-rules.ts';

// How MongoDB keeps a document: its fields under `doc`, so that nothing of ours can meet a field of the same name.

/** A tombstone has `removed` and no `doc`. */
export interface Row {
  readonly _id: string;
  /** The position that the row reflects, where its writer named one. */
  readonly position?: number;
  readonly removed?: true;
  readonly doc?: Fields;
  /** By unique index (`exemptionOf`) the row's own id, where the index leaves the row alone. */
  readonly exempt?: Readonly<Record<string, string>>;
}

type Fields = Readonly<Record<string, unknown>>;

/** Where a field of a document stands in its row. */
export const placeOf = (field: string): string =>
  field === '_id' ? '_id' : `doc.${pathOf(field).join('.')}`;

/**
 * MongoDB's unique indexes take a missing field for null and let one document have it. So the index covers one place
 * more, which is empty where all fields have a value and otherwise holds the id, which no other row has.
 */
export const exemptionOf = ({ fields }: IndexSpec): string => fields.join(',').replaceAll('.', '/');

/** The row of a document that `storedValue` answered. `uniques` are the unique indexes of its collection. */
export function rowOf(document: Document, uniques: readonly IndexSpec[], position?: number): Row {
  const { _id, ...doc } = document;
  return { _id, ...(position !== undefined && { position }), doc, ...marksOf(document, uniques) };
}

/** What keeps older events from bringing a removed document back. */
export const tombstoneOf = (id: string, uniques: readonly IndexSpec[], position: number): Row => ({
  _id: id,
  position,
  removed: true,
  ...marksOf({ _id: id }, uniques),
});

function marksOf(document: Document, uniques: readonly IndexSpec[]): Pick<Row, 'exempt'> {
  const isExempt = ({ fields }: IndexSpec): boolean =>
    fields.some((field) => (valueAt(document, field) ?? null) === null);
  const marks = uniques.filter(isExempt).map((index) => [exemptionOf(index), document._id] as const);
  return marks.length > 0 ? { exempt: Object.fromEntries(marks) } : {};
}

export const documentOf = <Doc extends Document>({ _id, doc = {} }: Pick<Row, '_id' | 'doc'>): Doc =>
  ({ _id, ...(withKeys(doc, keyOfStored) as object) }) as Doc;

/** MongoDB keeps 100 levels (https://www.mongodb.com/docs/manual/reference/limits/); the row is the first of them. */
const deepest = 99;

/** The value as JSON knows it, a copy, with keys that MongoDB can hold. Throws RangeError when it nests too deep. */
export const storedValue = <Value>(value: Value): Value =>
  withKeys(JSON.parse(JSON.stringify(value)), storedKeyOf) as Value;

/** Dots, dollars and zero bytes mean something in MongoDB's keys; `pathOf` lets no path contain them. */
const storedKeyOf = (key: string): string =>
  key === '__proto__'
    ? '%5F_proto__'
    : key.replace(/[%.$\0]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

const keyOfStored = (key: string): string =>
  key.includes('%')
    ? key.replace(/%([\dA-F]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
    : key;

/** The value with its keys renamed, at every depth; the very same object where all keep their name. */
function withKeys(value: unknown, rename: (key: string) => string, level = 1): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (level > deepest) throw new RangeError(`a document nests at most ${deepest} levels in MongoDB`);
  let isChanged = false;
  const entries = Object.entries(value).map(([key, before]) => {
    const [name, after] = [rename(key), withKeys(before, rename, level + 1)];
    isChanged ||= name !== key || after !== before;
    return [name, after] as const;
  });
  if (!isChanged) return value;
  return Array.isArray(value) ? entries.map(([, element]) => element) : Object.fromEntries(entries);
}
