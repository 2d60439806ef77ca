import type { Document } from '#kernel/projection.ts';
import { valueAt } from '#ports/document-rules.ts';
import type { DocumentStore, Filter } from '#ports/document-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { ExportSources, Place } from './export.ts';

/** Read together: a moment's work. */
const PAGE = 200;

export interface DocumentsAsked {
  readonly collection: string;
  readonly filter: Filter;
  /** A text that each of them has, and that an index begins with after what the filter fixes. */
  readonly sortedBy: string;
  /** ISO instants or days: the first, and what is beyond the last. */
  readonly from?: string;
  readonly before?: string;
  readonly after: Place | null;
}

export interface DocumentPage<Doc> {
  readonly documents: readonly Doc[];
  readonly next: Place | null;
}

const readPage = async <Doc extends Document>(
  store: Pick<DocumentStore, 'find'>,
  { collection, filter, sortedBy, from, before, after }: DocumentsAsked,
): Promise<readonly Doc[]> => {
  const sort = [
    [sortedBy, 1],
    ['_id', 1],
  ] as const;
  const end = before === undefined ? {} : { lt: before };
  if (after === null) {
    const range = { ...end, gte: from ?? '' };
    return store.find<Doc>(collection, { filter: { ...filter, [sortedBy]: range }, sort, limit: PAGE });
  }
  const [value, id] = after;
  const tied = { ...filter, [sortedBy]: value, _id: { gt: id } };
  const ties = await store.find<Doc>(collection, { filter: tied, sort, limit: PAGE });
  if (ties.length === PAGE) return ties;
  const later = { ...filter, [sortedBy]: { ...end, gt: value } };
  return [
    ...ties,
    ...(await store.find<Doc>(collection, { filter: later, sort, limit: PAGE - ties.length })),
  ];
};

/**
 * The next documents of a collection in the order of a field. No page holds a transaction: what is written meanwhile
 * shows from the next page on. Errors: `EngineUnavailable`, also where the collection has been dropped, which would
 * look like its end.
 */
export const documentsAfter = async <Doc extends Document>(
  { readStore }: Pick<ExportSources, 'readStore'>,
  asked: DocumentsAsked,
): Promise<DocumentPage<Doc>> => {
  const documents = await readPage<Doc>(readStore, asked);
  const last = documents.at(-1);
  if (documents.length === PAGE && last)
    return { documents, next: [String(valueAt(last, asked.sortedBy)), last._id] };
  if (!(await readStore.collections()).includes(asked.collection))
    throw new EngineUnavailable(`${asked.collection} was replaced while it was read`);
  return { documents, next: null };
};
