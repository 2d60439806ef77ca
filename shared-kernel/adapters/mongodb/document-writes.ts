import type { AnyBulkWriteOperation, Collection, Filter } from 'mongodb';
import { MongoBulkWriteError } from 'mongodb';

import type { Document, IndexSpec } from '#kernel/projection.ts';
import { applyPatch } from '#ports/document-rules.ts';
import type { Patch, Write } from '#ports/document-store.ts';
import { isLive } from './document-filter.ts';
import { updateOf } from './document-patch.ts';
import { documentOf, rowOf, storedValue, tombstoneOf, type Row } from './document-row.ts';
import { brokenIndex, idIndex } from './mongo-errors.ts';

// Each write is one atomic step on one row, and none needs a transaction. Errors are the driver's.

type Rows = Collection<Row>;
type Uniques = readonly IndexSpec[];

const idOf = (write: Write): string => ('put' in write ? write.put._id : write.remove);

/** Writes to one collection, in their order; what is stale already is passed over. */
export async function writeInOrder(rows: Rows, writes: readonly Write[], uniques: Uniques): Promise<void> {
  let rest = writes;
  while (rest.length > 0) {
    try {
      await rows.bulkWrite(
        rest.map((write) => operationOf(write, uniques)),
        { ordered: true },
      );
      return;
    } catch (error) {
      const broken = brokenIndex(error);
      if (broken === null || !(error instanceof MongoBulkWriteError)) throw error;
      const [failed] = [error.writeErrors].flat();
      const refused = rest[failed?.index ?? 0];
      rest = await withoutStale(rows, rest.slice(failed?.index ?? 0));
      // Refused by its id and yet not stale, it met another writer who created the row at the same moment.
      if (rest[0] === refused && broken !== idIndex) throw error;
    }
  }
}

/**
 * A row that reflects the position already is not matched, and as it cannot be created a second time, the upsert fails
 * with a duplicate id.
 */
function operationOf(write: Write, uniques: Uniques): AnyBulkWriteOperation<Row> {
  const { position } = write;
  if ('remove' in write && position === undefined) return { deleteOne: { filter: { _id: write.remove } } };
  const replacement =
    'put' in write ? rowOf(write.put, uniques, position) : tombstoneOf(write.remove, uniques, position ?? 0);
  const isOlder: Filter<Row> = position === undefined ? {} : { position: { $not: { $gte: position } } };
  return { replaceOne: { filter: { _id: replacement._id, ...isOlder }, replacement, upsert: true } };
}

async function withoutStale(rows: Rows, writes: readonly Write[]): Promise<readonly Write[]> {
  const ids = new Set(writes.filter(({ position }) => position !== undefined).map(idOf));
  const stored = await rows
    .find({ _id: { $in: [...ids] } }, { projection: { position: 1 }, batchSize: ids.size + 1 })
    .toArray();
  const positions = new Map(stored.map(({ _id, position }) => [_id, position]));
  return writes.filter((write) => {
    const known = positions.get(idOf(write));
    if (write.position !== undefined) return known === undefined || write.position > known;
    positions.delete(idOf(write)); // from here on the row is what this write makes it
    return true;
  });
}

/** A tombstone counts as absent. */
export async function insertIfAbsent(rows: Rows, document: Document, uniques: Uniques): Promise<boolean> {
  const row = rowOf(document, uniques);
  for (;;) {
    try {
      await rows.replaceOne({ _id: row._id, removed: true }, row, { upsert: true });
      return true;
    } catch (error) {
      const broken = brokenIndex(error);
      if (broken === null) throw error;
      if (await rows.findOne({ _id: row._id, ...isLive }, { projection: { _id: 1 } })) return false;
      if (broken !== idIndex) throw error;
    }
  }
}

/** Returns the document as it is afterwards; null when none matches. */
export async function updateOne<Doc extends Document>(
  rows: Rows,
  query: Filter<Row>,
  patch: Patch,
  uniques: Uniques,
): Promise<Doc | null> {
  const update = updateOf(patch, uniques);
  if (update === null) return replaceOne(rows, query, patch, uniques);
  const row = await rows.findOneAndUpdate(query, update, {
    returnDocument: 'after',
    projection: { doc: 1 },
  });
  return row && documentOf<Doc>(row);
}

/** Reads, changes by the shared rule and writes, unless the document has changed meanwhile: then once more. */
async function replaceOne<Doc extends Document>(
  rows: Rows,
  query: Filter<Row>,
  patch: Patch,
  uniques: Uniques,
): Promise<Doc | null> {
  for (;;) {
    const row = await rows.findOne(query);
    if (!row) return null;
    const changed = storedValue(applyPatch(documentOf<Doc>(row), patch));
    const { doc = {}, exempt = {} } = rowOf(changed, uniques);
    const asRead: Filter<Row> = { _id: row._id, ...isLive, doc: { $eq: row.doc ?? {} } };
    const { matchedCount } = await rows.updateOne(asRead, { $set: { doc, exempt } });
    if (matchedCount === 1) return documentOf<Doc>({ _id: row._id, doc });
  }
}

/** Longest run of writes in one request. */
const requestLength = 1000;

interface WriteRequest {
  readonly collection: string;
  readonly writes: Write[];
}

/** Cut wherever the collection changes, so that the order is kept across collections. */
export function requestsOf(batch: readonly Write[]): readonly WriteRequest[] {
  const requests: WriteRequest[] = [];
  for (const write of batch) {
    const last = requests.at(-1);
    if (last?.collection === write.collection && last.writes.length < requestLength) last.writes.push(write);
    else requests.push({ collection: write.collection, writes: [write] });
  }
  return requests;
}
