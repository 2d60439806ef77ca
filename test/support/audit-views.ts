import { isDeepStrictEqual } from 'node:util';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import type { EventCodec } from '#log/codec.ts';
import type { AnyProjection, Document, Figures } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { servingGenerations, type Generation } from '#projection/engine/generations.ts';
import { projectionsOf } from '#projection/engine/join-modules.ts';
import { rebuildAll } from '#projection/engine/rebuild.ts';
import { countersCollection, type ViewCounters } from '#projection/engine/view-counters.ts';
import { modules } from '#projection/modules.ts';
import type { Engines } from '../../shared-kernel/open-engines.ts';

type Report = (problem: string) => void;

const PAGE = 1000;

interface StoredDocument extends Document {
  readonly _position?: number;
}

const everyDocument = async (
  store: DocumentStore,
  collection: string,
): Promise<ReadonlyMap<string, object>> => {
  const documents = new Map<string, object>();
  for (let after = ''; ;) {
    const filter = { _id: { gt: after } };
    const page = await store.find<StoredDocument>(collection, { filter, sort: [['_id', 1]], limit: PAGE });
    for (const { _position, ...document } of page) documents.set(document._id, document);
    if (page.length < PAGE) return documents;
    after = page.at(-1)?._id ?? '';
  }
};

const fieldsThatDiffer = (one: object, other: object): string =>
  Object.keys({ ...one, ...other })
    .filter((name) => !isDeepStrictEqual(one[name as keyof object], other[name as keyof object]))
    .slice(0, 4)
    .join(', ');

const checkDocuments = (
  { name, lapsing }: AnyProjection,
  live: ReadonlyMap<string, object>,
  fresh: ReadonlyMap<string, object>,
  report: Report,
): void => {
  for (const [id, document] of fresh) {
    const found = live.get(id);
    if (found && !isDeepStrictEqual(found, document))
      report(`view ${name}: ${id} is not what the log makes of it, in ${fieldsThatDiffer(found, document)}`);
    // What has lapsed comes back when it is asked for.
    if (!found && !lapsing) report(`view ${name}: ${id} is missing`);
  }
  for (const id of live.keys()) if (!fresh.has(id)) report(`view ${name}: ${id} is not in the log`);
};

const checkCounters = async (
  { name, counters }: AnyProjection,
  { collection }: Generation,
  documents: ReadonlyMap<string, object>,
  readStore: DocumentStore,
  report: Report,
): Promise<void> => {
  if (!counters) return;
  const counted: Record<string, number> = {};
  for (const document of documents.values())
    for (const [figure, value] of Object.entries(
      (counters as unknown as (document: object) => Figures)(document),
    ))
      counted[figure] = (counted[figure] ?? 0) + value;
  const kept: Figures = (await readStore.get<ViewCounters>(countersCollection, collection))?.figures ?? {};
  for (const figure of new Set([...Object.keys(counted), ...Object.keys(kept)]))
    if ((counted[figure] ?? 0) !== (kept[figure] ?? 0))
      report(`tally of ${name}: ${figure} says ${kept[figure] ?? 0} for ${counted[figure] ?? 0} rows`);
};

/** Holds every view that serves against one that is filled from the log anew, and its counters against its rows. */
export const auditViews = async (
  { store, readStore }: Pick<Engines, 'store' | 'readStore'>,
  codec: EventCodec,
  report: Report,
): Promise<void> => {
  const projections = projectionsOf(modules);
  const freshStore = createMemoryDocumentStore();
  await rebuildAll(projections, { store, codec, readStore: freshStore });
  const [live, fresh] = [
    await servingGenerations(readStore, projections),
    await servingGenerations(freshStore, projections),
  ];
  for (const projection of projections) {
    const [served, made] = [live.get(projection.name), fresh.get(projection.name)];
    if (!served || !made) {
      report(`view ${projection.name}: none serves`);
      continue;
    }
    const documents = await everyDocument(readStore, served.collection);
    checkDocuments(projection, documents, await everyDocument(freshStore, made.collection), report);
    await checkCounters(projection, served, documents, readStore, report);
  }
};
