import type { Document, AnyProjection } from '#kernel/projection.ts';
import { START, startMark, type LogMark } from '#ports/event-store.ts';
import type { DocumentStore, Write } from '#ports/document-store.ts';
import { versionsInUse } from './versions-in-use.ts';
import { countersCollection } from './view-counters.ts';

/** One filling of a read model: its collection and how far along the log that is. */
export interface Generation {
  readonly generation: number;
  readonly collection: string;
  /** The last event that has been received in order, applied or irrelevant. */
  readonly checkpoint: LogMark;
}

/**
 * Which generation serves, of one version of a view: two releases beside each other take nothing from each other. It is
 * never taken away, so that its revision only grows.
 */
interface Pointer extends Document {
  readonly generation: number;
  readonly revision: number;
}

/** As an earlier release wrote it, under the name of the view alone. */
interface UnversionedPointer extends Document {
  readonly version: number;
  readonly generation: number;
}

/** A generation that is being filled, and the pointer in whose place it may put its own. */
export interface NewGeneration extends Generation {
  readonly replaces: Pick<Pointer, 'revision'> | null;
}

interface Checkpoint extends Document {
  readonly position: number;
  /** Which event is there; absent at START, and where an older release wrote it. */
  readonly eventId?: string;
}

const pointers = 'projections';
const checkpoints = 'checkpoints';
/** What a pointer says when no generation serves. */
const nothingServes = { generation: 0 };

/** What is needed of a projection to find its generations. */
type Versioned = Pick<AnyProjection, 'name' | 'version'>;

/** A view in one of its versions. */
export const versionName = ({ name, version }: Versioned): string => `${name}_v${version}`;

export const collectionName = (view: Versioned, generation: number): string =>
  `${versionName(view)}_${generation}`;

/** Goes last into the batch that it vouches for. */
export const checkpointWrite = (collection: string, { position, eventId }: LogMark): Write => ({
  collection: checkpoints,
  put: { _id: collection, position, ...(eventId !== null && { eventId }) } as Checkpoint,
  position,
});

/** Says which event a checkpoint of an older release stands for. */
export const nameCheckpoint = async (
  readStore: DocumentStore,
  collection: string,
  { position, eventId }: LogMark,
): Promise<void> => {
  await readStore.updateIf(checkpoints, { _id: collection, position }, { set: { eventId } });
};

/**
 * The generation that serves; null when none of the projection's present version has been filled, or when the one that
 * the pointer names is gone: a generation has its checkpoint until it is dropped.
 */
export const servingGeneration = async (
  readStore: DocumentStore,
  projection: Versioned,
): Promise<Generation | null> =>
  (await servingGenerations(readStore, [projection])).get(projection.name) ?? null;

/** Those of several projections at once, by name. */
export const servingGenerations = async (
  readStore: DocumentStore,
  projections: readonly Versioned[],
): Promise<ReadonlyMap<string, Generation>> => {
  const serving = await servingVersions(readStore, projections);
  return new Map([...serving].map(([{ name }, generation]) => [name, generation]));
};

/** The same for any versions: a view may be asked about in several. */
export const servingVersions = async <View extends Versioned>(
  readStore: Pick<DocumentStore, 'getMany'>,
  views: readonly View[],
): Promise<ReadonlyMap<View, Generation>> => {
  const found = await readStore.getMany<Pointer>(pointers, views.map(versionName));
  const generationOf = new Map(found.map(({ _id, generation }) => [_id, generation]));
  const serving = views.flatMap((view) => {
    const generation = generationOf.get(versionName(view)) ?? nothingServes.generation;
    if (generation === nothingServes.generation) return [];
    return [{ view, generation, collection: collectionName(view, generation) }];
  });
  const reached = await readStore.getMany<Checkpoint>(
    checkpoints,
    serving.map(({ collection }) => collection),
  );
  const marks = new Map(
    reached.map(({ _id, position, eventId = null }) => [_id, { position, eventId }] as const),
  );
  return new Map(
    serving.flatMap(({ view, generation, collection }) => {
      const checkpoint = marks.get(collection);
      return checkpoint === undefined ? [] : [[view, { generation, collection, checkpoint }]];
    }),
  );
};

/**
 * What an earlier release has filled goes on serving: in the present version of a view, or in one that its queries can
 * read. Repeatable.
 */
export const adoptUnversioned = async (
  readStore: DocumentStore,
  projections: readonly (Versioned & Pick<AnyProjection, 'readableVersions'>)[],
): Promise<void> => {
  const isRead = (name: string, version: number): boolean =>
    projections.some(
      (view) => view.name === name && [view.version, ...(view.readableVersions ?? [])].includes(version),
    );
  const names = projections.map(({ name }) => name);
  const found = await readStore.getMany<UnversionedPointer>(pointers, names);
  for (const { _id: name, version, generation } of found) {
    if (!isRead(name, version)) continue;
    const pointer: Pointer = { _id: versionName({ name, version }), generation, revision: 1 };
    await readStore.insertIfAbsent(pointers, pointer);
  }
};

/**
 * A new, empty generation that no other process has, without indexes. It can take the place of what serves now, and of
 * nothing else. `above`: numbers up to this one are not used again.
 */
export const createGeneration = async (
  readStore: DocumentStore,
  projection: AnyProjection,
  above = 0,
): Promise<NewGeneration> => {
  const replaces = await readStore.get<Pointer>(pointers, versionName(projection));
  const taken = (await collectionsOf(readStore, projection)).map(({ generation }) => generation);
  let generation = Math.max(above, replaces?.generation ?? 0, ...taken) + 1;
  while (!(await claim(readStore, collectionName(projection, generation)))) generation++;
  const collection = collectionName(projection, generation);
  await readStore.declare(collection, projection.indexes, { filling: 'begins' });
  return { generation, collection, checkpoint: startMark, replaces };
};

/** A generation as it was left before it was full; null where nothing of it is there. */
export const keptGeneration = async (
  readStore: DocumentStore,
  projection: AnyProjection,
  generation: number,
): Promise<NewGeneration | null> => {
  const collection = collectionName(projection, generation);
  const replaces = await readStore.get<Pointer>(pointers, versionName(projection));
  // Found, not got: a thread that fills it writes it behind what this process keeps at hand of what it got.
  const [kept] = await readStore.find<Checkpoint>(checkpoints, { filter: { _id: collection }, limit: 1 });
  if (!kept) return null;
  const { position, eventId = null } = kept;
  return { generation, collection, checkpoint: { position, eventId }, replaces };
};

/** Two processes that count the same generations at the same moment do not fill the same one. */
const claim = (readStore: DocumentStore, collection: string): Promise<boolean> => {
  const none: Checkpoint = { _id: collection, position: START };
  return readStore.insertIfAbsent(checkpoints, none);
};

/** Empties a generation that is being filled; its indexes are there from now on. */
export const clearGeneration = async (
  readStore: DocumentStore,
  { indexes }: AnyProjection,
  collection: string,
): Promise<void> => {
  await dropGeneration(readStore, collection);
  await claim(readStore, collection);
  await readStore.declare(collection, indexes);
};

/**
 * From now on this generation serves, in one step. False when another one has come to serve since this one was begun:
 * a process that stood still for long may find that its own has been dropped meanwhile.
 */
export const serve = async (
  readStore: DocumentStore,
  projection: Versioned,
  { generation, replaces }: NewGeneration,
): Promise<boolean> => {
  const _id = versionName(projection);
  const first: Pointer = { _id, generation, revision: 1 };
  if (replaces === null) return readStore.insertIfAbsent(pointers, first);
  const asRead = { _id, revision: replaces.revision };
  const patch = { set: { generation }, increment: { revision: 1 } };
  return (await readStore.updateIf<Pointer>(pointers, asRead, patch)) !== null;
};

/** This generation serves no longer, nor does any other until the next `serve`. */
export const withdraw = async (
  readStore: DocumentStore,
  projection: Versioned,
  { generation }: Pick<Generation, 'generation'>,
): Promise<void> => {
  const patch = { set: nothingServes, increment: { revision: 1 } };
  await readStore.updateIf<Pointer>(pointers, { _id: versionName(projection), generation }, patch);
};

/**
 * Drops every generation of the same version before this one. A later one belongs to another process, which may be
 * filling it, and another version perhaps to another release: see `dropFormerVersions`.
 */
export const dropOlder = async (
  readStore: DocumentStore,
  projection: Versioned,
  { generation }: Generation,
): Promise<void> => {
  for (const other of await collectionsOf(readStore, projection)) {
    if (other.version === projection.version && other.generation < generation)
      await dropGeneration(readStore, other.collection);
  }
};

/** Drops what no process uses any more: generations of older versions of views whose present one serves. */
export const dropFormerVersions = async (
  readStore: DocumentStore,
  serving: readonly Versioned[],
): Promise<void> => {
  const [there, inUse] = await Promise.all([readStore.collections(), versionsInUse(readStore)]);
  for (const view of serving) {
    for (const { collection, version } of generationsIn(there, view)) {
      if (version < view.version && !inUse.has(versionName({ name: view.name, version })))
        await dropGeneration(readStore, collection);
    }
  }
};

/** The checkpoint first: what has none is never served. */
export const dropGeneration = async (readStore: DocumentStore, collection: string): Promise<void> => {
  await readStore.write([
    { collection: checkpoints, remove: collection },
    { collection: countersCollection, remove: collection },
  ]);
  await readStore.drop(collection);
};

interface Kept {
  readonly collection: string;
  readonly version: number;
  readonly generation: number;
}

/** Every generation of every version, also those that an interrupted rebuild left behind. */
const collectionsOf = async (readStore: DocumentStore, view: Versioned): Promise<readonly Kept[]> =>
  generationsIn(await readStore.collections(), view);

const generationsIn = (
  collections: readonly string[],
  { name }: Pick<AnyProjection, 'name'>,
): readonly Kept[] => {
  const found: Kept[] = [];
  for (const collection of collections) {
    if (!collection.startsWith(name)) continue;
    const [, version, generation] = /^_v(\d+)_(\d+)$/.exec(collection.slice(name.length)) ?? [];
    if (version !== undefined && generation !== undefined)
      found.push({ collection, version: Number(version), generation: Number(generation) });
  }
  return found;
};

/** The last generation that was begun of this version, by its number; null where nothing is left of any. */
export const lastBegun = async (
  readStore: DocumentStore,
  projection: AnyProjection,
): Promise<number | null> => {
  const found = (await collectionsOf(readStore, projection))
    .filter(({ collection, generation }) => collection === collectionName(projection, generation))
    .map(({ generation }) => generation);
  return found.length === 0 ? null : Math.max(...found);
};
