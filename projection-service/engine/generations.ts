import type { Document, AnyProjection } from '#kernel/projection.ts';
import { START, startMark, type LogMark } from '#ports/event-store.ts';
import type { DocumentStore, Write } from '#ports/document-store.ts';
import { countersCollection } from './view-counters.ts';

/** One filling of a read model: its collection and how far along the log that is. */
export interface Generation {
  readonly generation: number;
  readonly collection: string;
  /** The last event that has been received in order, applied or irrelevant. */
  readonly checkpoint: LogMark;
}

/** Which generation serves. It is never taken away, so that its revision only grows. */
interface Pointer extends Document {
  readonly version: number;
  readonly generation: number;
  /** Grows with every change; absent where an older release wrote it. */
  readonly revision?: number;
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
/** What a pointer says when no generation serves: no projection has such a version. */
const nothingServes = { version: 0, generation: 0 };

export const collectionName = ({ name, version }: AnyProjection, generation: number): string =>
  `${name}_v${version}_${generation}`;

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
  projection: AnyProjection,
): Promise<Generation | null> =>
  (await servingGenerations(readStore, [projection])).get(projection.name) ?? null;

/** Those of several projections at once, by name. */
export const servingGenerations = async (
  readStore: DocumentStore,
  projections: readonly AnyProjection[],
): Promise<ReadonlyMap<string, Generation>> => {
  const names = projections.map(({ name }) => name);
  const generationOf = new Map<string, Pointer>();
  for (const pointer of await readStore.getMany<Pointer>(pointers, names))
    generationOf.set(pointer._id, pointer);
  const serving = projections.flatMap((projection) => {
    const { version, generation } = generationOf.get(projection.name) ?? { version: null, generation: 0 };
    if (version !== projection.version) return [];
    return [{ name: projection.name, generation, collection: collectionName(projection, generation) }];
  });
  const reached = await readStore.getMany<Checkpoint>(
    checkpoints,
    serving.map(({ collection }) => collection),
  );
  const marks = new Map(
    reached.map(({ _id, position, eventId = null }) => [_id, { position, eventId }] as const),
  );
  return new Map(
    serving.flatMap(({ name, generation, collection }) => {
      const checkpoint = marks.get(collection);
      return checkpoint === undefined ? [] : [[name, { generation, collection, checkpoint }]];
    }),
  );
};

/**
 * A new, empty generation that no other process has. Its indexes come once it is filled, which is faster. It can take
 * the place of what serves now, and of nothing else.
 */
export const createGeneration = async (
  readStore: DocumentStore,
  projection: AnyProjection,
): Promise<NewGeneration> => {
  const replaces = await readStore.get<Pointer>(pointers, projection.name);
  const taken = (await collectionsOf(readStore, projection)).map(({ generation }) => generation);
  let generation = Math.max(0, replaces?.generation ?? 0, ...taken) + 1;
  while (!(await claim(readStore, collectionName(projection, generation)))) generation++;
  const collection = collectionName(projection, generation);
  await readStore.declare(collection);
  return { generation, collection, checkpoint: startMark, replaces };
};

/** A generation as it was left before it was full; null where nothing of it is there. */
export const keptGeneration = async (
  readStore: DocumentStore,
  projection: AnyProjection,
  generation: number,
): Promise<NewGeneration | null> => {
  const collection = collectionName(projection, generation);
  const replaces = await readStore.get<Pointer>(pointers, projection.name);
  const kept = await readStore.get<Checkpoint>(checkpoints, collection);
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
  { name, version }: AnyProjection,
  { generation, replaces }: NewGeneration,
): Promise<boolean> => {
  const first: Pointer = { _id: name, version, generation, revision: 1 };
  if (replaces === null) return readStore.insertIfAbsent(pointers, first);
  const asRead = { _id: name, revision: replaces.revision ?? { exists: false } };
  const patch = { set: { version, generation }, increment: { revision: 1 } };
  return (await readStore.updateIf<Pointer>(pointers, asRead, patch)) !== null;
};

/** This generation serves no longer, nor does any other until the next `serve`. */
export const withdraw = async (
  readStore: DocumentStore,
  { name }: AnyProjection,
  { generation }: Pick<Generation, 'generation'>,
): Promise<void> => {
  const patch = { set: nothingServes, increment: { revision: 1 } };
  await readStore.updateIf<Pointer>(pointers, { _id: name, generation }, patch);
};

/** Drops every generation before this one. A later one belongs to another process, which may be filling it. */
export const dropOlder = async (
  readStore: DocumentStore,
  projection: AnyProjection,
  { generation }: Generation,
): Promise<void> => {
  for (const other of await collectionsOf(readStore, projection)) {
    if (other.generation < generation) await dropGeneration(readStore, other.collection);
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

/** Every generation of every version, also those that an interrupted rebuild left behind. */
const collectionsOf = async (
  readStore: DocumentStore,
  { name }: AnyProjection,
): Promise<readonly { readonly collection: string; readonly generation: number }[]> => {
  const found: { collection: string; generation: number }[] = [];
  for (const collection of await readStore.collections()) {
    const [, generation] = /^_v\d+_(\d+)$/.exec(collection.slice(name.length)) ?? [];
    if (collection.startsWith(name) && generation !== undefined) {
      found.push({ collection, generation: Number(generation) });
    }
  }
  return found;
};
