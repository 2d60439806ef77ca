import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore, Filter, Write } from '#ports/document-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { LogMark } from '#ports/event-store.ts';
import type { ReferencePart } from '#reference/reference-part.ts';
import type { TakenChunk, TakenChunks } from '#reference/chunked-entries.ts';
import { snapshotHash } from './snapshot-hash.ts';
import { snapshotVersion } from './snapshot-version.ts';

/*
 * Snapshots of reference state in documents of a bounded size. A chunk's document is named after its last change, so
 * that none is ever replaced; the head, which is written last, names the chunks that hold together at one position.
 * Whichever process writes a chunk of one name, it says the same.
 */

/** Names the chunks of a part, as they were at its position. */
export interface Head extends Document {
  readonly position: number;
  /** Which event is there; absent where an older release wrote it. */
  readonly eventId?: string;
  /** By place, the chunk's last change; null where it is empty. */
  readonly changedAt: readonly (number | null)[];
  /** By place, how many documents a chunk takes where it takes more than one. */
  readonly pieces: Readonly<Record<string, number>>;
}

/** A stretch of a chunk's JSON text. */
interface Piece extends Document {
  readonly text: string;
  /** Of its id and text; absent where an older release wrote it. */
  readonly hash?: string;
}

/** A part and what it has said of itself at one moment. */
export interface TakenPart {
  readonly part: ReferencePart;
  readonly stored: Head | undefined;
  readonly taken: TakenChunks;
}

export const collection = 'referenceSlices';
/** Where older releases kept each part as one document. */
const formerCollection = 'referenceSnapshots';

/** At most 3 bytes each in a store's encoding, so that a piece stays under 4 MB. */
const CHARACTERS_PER_PIECE = 1_000_000;
/** About this many characters go out, or are asked for, in one turn of the event loop. */
const CHARACTERS_PER_WRITE = 500_000;
const PIECES_PER_READ = 4;
const DELETED_AT_ONCE = 100;

export const headIdOf = (part: ReferencePart): string => `${part.name}/${snapshotVersion(part)}`;

const padded = (number: number, digits: number): string => String(number).padStart(digits, '0');
const layoutId = (headId: string, count: number): string => `${headId}/${padded(count, 9)}`;
const placeId = (headId: string, count: number, place: number): string =>
  `${layoutId(headId, count)}-${padded(place, 9)}`;
const pieceId = (headId: string, count: number, place: number, changedAt: number, piece: number): string =>
  `${placeId(headId, count, place)}-${padded(changedAt, 16)}-${padded(piece, 6)}`;

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xdc00;

const cut = (text: string): readonly string[] => {
  const pieces: string[] = [];
  for (let from = 0; from < text.length;) {
    let to = Math.min(text.length, from + CHARACTERS_PER_PIECE);
    if (to < text.length && isHighSurrogate(text.charCodeAt(to - 1))) to--;
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
};

/** Takes what the stored head does not name. In one turn with the other parts: they hold together. */
export const takePart = (part: ReferencePart, stored: Head | undefined): TakenPart => ({
  part,
  stored,
  taken: part.entries.take(
    (count, place, changedAt) => stored?.changedAt.length === count && stored.changedAt[place] === changedAt,
  ),
});

/** Writes the chunks, a little at a time; the answer says which take more than one document. */
const writeChunks = async (
  stateStore: DocumentStore,
  headId: string,
  { changedAt: all, chunks }: TakenChunks,
): Promise<ReadonlyMap<number, number>> => {
  const counts = new Map<number, number>();
  let writes: Write[] = [];
  let characters = 0;
  const flush = async (): Promise<void> => {
    await stateStore.write(writes);
    writes = [];
    characters = 0;
  };
  const add = async ({ place, changedAt, entries }: TakenChunk): Promise<void> => {
    const pieces = cut(JSON.stringify(entries()));
    counts.set(place, pieces.length);
    for (const [index, text] of pieces.entries()) {
      const _id = pieceId(headId, all.length, place, changedAt, index);
      const put: Piece = { _id, text, hash: snapshotHash(_id, text) };
      writes.push({ collection, put });
      characters += text.length;
      if (characters >= CHARACTERS_PER_WRITE) await flush();
    }
  };
  for (const slice of chunks) await add(slice);
  if (writes.length > 0) await flush();
  return counts;
};

const headOf = (
  { stored, taken: { changedAt, chunks } }: TakenPart,
  _id: string,
  { position, eventId }: LogMark,
  counts: ReadonlyMap<number, number>,
): Head => {
  const written = new Set(chunks.map(({ place }) => place));
  const before = Object.entries(stored?.pieces ?? {}).filter(
    ([place]) => stored?.changedAt.length === changedAt.length && !written.has(Number(place)),
  );
  const now = [...counts].filter(([, count]) => count > 1);
  const at = eventId === null ? { position } : { position, eventId };
  return { _id, ...at, changedAt, pieces: Object.fromEntries([...before, ...now]) };
};

/**
 * Keeps the parts as they were taken at an event. Killed anywhere, it leaves the heads of before and the chunks that
 * they name; a head that another process has written further along the log stays. `tidied`: the parts of which this
 * process has removed everything that an earlier head named: of those it looks at changes only. It is kept up here.
 * Errors: `EngineUnavailable`.
 */
export const saveParts = async (
  stateStore: DocumentStore,
  parts: readonly TakenPart[],
  at: LogMark,
  tidied: Set<ReferencePart>,
): Promise<void> => {
  const heads: Head[] = [];
  for (const one of parts) {
    const headId = headIdOf(one.part);
    const counts = await writeChunks(stateStore, headId, one.taken);
    heads.push(headOf(one, headId, at, counts));
  }
  await stateStore.write(heads.map((put) => ({ collection, put, position: at.position })));
  for (const [index, { part, stored }] of parts.entries()) {
    const head = heads[index];
    if (!head) continue;
    const before = tidied.has(part) ? stored : undefined;
    // Killed or failed on the way, it begins again with everything.
    tidied.delete(part);
    await forgetOlder(stateStore, head, before);
    tidied.add(part);
  }
};

const forget = async (stateStore: DocumentStore, gte: string, lt: string): Promise<void> => {
  const filter: Filter = { _id: { gte, lt } };
  while ((await stateStore.deleteMany(collection, filter, DELETED_AT_ONCE)) === DELETED_AT_ONCE);
};

/**
 * Chunks that a head has left behind. The writer of a later head has seen the same events, so it names none of them.
 */
const forgetOlder = async (
  stateStore: DocumentStore,
  { _id, position, changedAt }: Head,
  before: Head | undefined,
): Promise<void> => {
  const count = changedAt.length;
  if (before?.changedAt.length !== count) await forget(stateStore, `${_id}/`, layoutId(_id, count));
  for (const [place, at] of changedAt.entries()) {
    if (before?.changedAt.length === count && before.changedAt[place] === at) continue;
    const ofPlace = placeId(_id, count, place);
    await forget(stateStore, `${ofPlace}-`, `${ofPlace}-${padded(at ?? position, 16)}`);
  }
};

/** What other versions of a part have written, and older releases in their format: it is never read here. */
export const deleteOtherVersions = async (
  stateStore: DocumentStore,
  parts: readonly ReferencePart[],
): Promise<void> => {
  for (const part of parts) {
    const headId = headIdOf(part);
    await forget(stateStore, `${part.name}/`, headId);
    await forget(stateStore, `${headId}0`, `${part.name}0`);
  }
  if ((await stateStore.collections()).includes(formerCollection)) await stateStore.drop(formerCollection);
};

/**
 * This head of a part and all that it names, and whatever else was written of this version. Another process may have
 * put one of its own in its place: that one stays, with its chunks.
 */
export const deletePart = async (
  stateStore: DocumentStore,
  { _id, position, eventId }: Head,
): Promise<void> => {
  const isIt = { _id, position, eventId: eventId ?? { exists: false } };
  const isThere = (await stateStore.deleteMany(collection, isIt, 1)) === 1;
  if (isThere) await forget(stateStore, `${_id}/`, `${_id}0`);
};

/** A chunk is not what was written. */
class DamagedChunk extends Error {
  override readonly name = 'DamagedSlice';

  constructor(id: string) {
    super(`${id} does not have the hash that it was written with`);
  }
}

/** In their order; a chunk of which a piece is missing is null. */
async function* readChunks(
  stateStore: DocumentStore,
  { _id, changedAt, pieces }: Head,
): AsyncGenerator<{ readonly changedAt: number; readonly text: string | null }> {
  const wanted = changedAt.flatMap((at, place) =>
    at === null
      ? []
      : Array.from({ length: pieces[place] ?? 1 }, (_, piece) => ({
          at,
          id: pieceId(_id, changedAt.length, place, at, piece),
          isLast: piece + 1 === (pieces[place] ?? 1),
        })),
  );
  let texts: (string | undefined)[] = [];
  for (let from = 0; from < wanted.length; from += PIECES_PER_READ) {
    const some = wanted.slice(from, from + PIECES_PER_READ);
    const filter: Filter = { _id: { in: some.map(({ id }) => id) } };
    const found = await stateStore.find<Piece>(collection, { filter, limit: some.length });
    for (const { _id: id, text, hash } of found)
      if (hash !== undefined && hash !== snapshotHash(id, text)) throw new DamagedChunk(id);
    const byId = new Map(found.map(({ _id: id, text }) => [id, text]));
    for (const { at, id, isLast } of some) {
      texts.push(byId.get(id));
      if (!isLast) continue;
      yield { changedAt: at, text: texts.includes(undefined) ? null : texts.join('') };
      texts = [];
    }
  }
}

/** `incomplete`: something that the head names is missing; `damaged`: or not what was written, and it stays so. */
export type Restored =
  | { readonly kind: 'restored' | 'incomplete' }
  | { readonly kind: 'damaged'; readonly reason: string };

/**
 * Fills an empty part with what a head names. Where something of it is missing or damaged the part is empty again, as
 * it is after an error. Errors: `EngineUnavailable`.
 */
export const restorePart = async (
  stateStore: DocumentStore,
  part: ReferencePart,
  head: Head,
): Promise<Restored> => {
  part.entries.layOut(head.changedAt.length);
  let isWhole = false;
  try {
    for await (const { changedAt, text } of readChunks(stateStore, head)) {
      if (text === null) return { kind: 'incomplete' };
      part.entries.at(changedAt);
      part.restore(JSON.parse(text) as readonly (readonly [key: string, kept: unknown])[]);
      await nextTurn();
    }
    isWhole = true;
    return { kind: 'restored' };
  } catch (error) {
    if (error instanceof EngineUnavailable) throw error;
    return { kind: 'damaged', reason: error instanceof Error ? error.message : String(error) };
  } finally {
    if (!isWhole) {
      part.clear();
      part.entries.layOut();
    }
  }
};
