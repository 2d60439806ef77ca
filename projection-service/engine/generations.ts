import type { Document, AnyProjection } from '#kernel/projection.ts';
import { START } from '#ports/event-store.ts';
import type { DocumentStore, Write } from '#ports/document-store.ts';

/** One filling of a read model: its collection and how far along the log that is. */
export interface Generation {
  readonly generation: number;
  readonly collection: string;
  /** Position of the last event that has been received in order, applied or irrelevant. */
  readonly checkpoint: number;
}

interface Pointer extends Document {
  readonly version: number;
  readonly generation: number;
}

interface Checkpoint extends Document {
  readonly position: number;
}

const pointers = 'projections';
const checkpoints = 'checkpoints';

export const collectionName = ({ name, version }: AnyProjection, generation: number): string =>
  `${name}_v${version}_${generation}`;

/** Goes last into the batch that it vouches for. */
export const checkpointWrite = (collection: string, position: number): Write => ({
  collection: checkpoints,
  put: { _id: collection, position } as Checkpoint,
  position,
});

/** The generation that serves; null when none of the projection's present version has been filled. */
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
  const positions = new Map(reached.map(({ _id, position }) => [_id, position]));
  return new Map(
    serving.map(({ name, generation, collection }) => [
      name,
      { generation, collection, checkpoint: positions.get(collection) ?? START },
    ]),
  );
};

/** A new, empty generation. Its indexes come with `serve`: a collection is filled faster without. */
export const createGeneration = async (
  readStore: DocumentStore,
  projection: AnyProjection,
): Promise<Generation> => {
  const taken = (await collectionsOf(readStore, projection)).map(({ generation }) => generation);
  const generation = Math.max(0, ...taken) + 1;
  const collection = collectionName(projection, generation);
  await readStore.declare(collection);
  return { generation, collection, checkpoint: START };
};

/** From now on this generation serves, in one step. */
export const serve = async (
  readStore: DocumentStore,
  projection: AnyProjection,
  { generation, collection }: Generation,
): Promise<void> => {
  await readStore.declare(collection, projection.indexes);
  const pointer: Pointer = { _id: projection.name, version: projection.version, generation };
  await readStore.write([{ collection: pointers, put: pointer }]);
};

/** No generation serves any more, until the next `serve`. */
export const withdraw = async (
  readStore: DocumentStore,
  projections: readonly AnyProjection[],
): Promise<void> => {
  await readStore.write(projections.map(({ name }) => ({ collection: pointers, remove: name })));
};

/** Every generation of the projection goes but this one. */
export const dropOthers = async (
  readStore: DocumentStore,
  projection: AnyProjection,
  { collection }: Generation,
): Promise<void> => {
  for (const other of await collectionsOf(readStore, projection)) {
    if (other.collection !== collection) await dropGeneration(readStore, other.collection);
  }
};

export const dropGeneration = async (readStore: DocumentStore, collection: string): Promise<void> => {
  await readStore.drop(collection);
  await readStore.write([{ collection: checkpoints, remove: collection }]);
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
