import { hash } from 'node:crypto';
import type { StoredEvent } from '#ports/event-store.ts';

/** Where a stream ends: what its next event continues. The end of a stream without events is revision -1, hash ''. */
export interface ChainEnd {
  readonly revision: number;
  readonly hash: string;
}

export const chainStart: ChainEnd = { revision: -1, hash: '' };

type Link = Pick<StoredEvent, 'stream' | 'revision' | 'id' | 'type' | 'data'>;

/** A text with its length before it, so that no byte can move from one part to the next unnoticed. */
const measured = (text: string): string => `${text.length}:${text}`;

const hashed = (previousHash: string, event: Link, metadata: string): string =>
  measured(previousHash) +
  measured(event.stream) +
  measured(String(event.revision)) +
  measured(event.id) +
  measured(event.type) +
  measured(event.data) +
  measured(metadata);

/** Begins the hashed text where no previous hash is kept beside it, so that neither form passes for the other. */
const FORM = 'alone:';

/**
 * The hash of an event: SHA-256, base64url, over the previous hash of its stream, the stream, revision, id, type, data
 * and metadata as stored. `metadata` is the JSON text without its last member, `hash`; the schema version and the
 * recorded time stand in it.
 */
export const hashOf = (previousHash: string, event: Link, metadata: string): string =>
  hash('sha256', FORM + hashed(previousHash, event, metadata), 'base64url');

/** The metadata text with the hash as its last member. `metadata` is the JSON text up to its closing brace. */
export const sealMetadata = (metadata: string, ownHash: string): string => `${metadata},"hash":"${ownHash}"}`;

/** The form of older releases: the previous hash stands before the event's own, and neither is hashed. */
export const linkedForm = {
  hashOf: (previousHash: string, event: Link, metadata: string): string =>
    hash('sha256', hashed(previousHash, event, metadata), 'base64url'),
  seal: (metadata: string, previousHash: string, ownHash: string): string =>
    sealMetadata(metadata + linkTo(previousHash), ownHash),
} as const;

const linkTo = (previousHash: string): string => `,"previousHash":"${previousHash}"`;

/** How many characters a hash has. */
export const HASH_LENGTH = 43;
const beforeHash = ',"hash":"';
const afterHash = '"}';

/** The hash that an event bears, at the end of its metadata; '' where they end otherwise. Says nothing of its truth. */
export const borneHash = ({ metadata }: Pick<StoredEvent, 'metadata'>): string => {
  const start = metadata.length - HASH_LENGTH - afterHash.length;
  return metadata.endsWith(afterHash) && metadata.startsWith(beforeHash, start - beforeHash.length)
    ? metadata.slice(start, -afterHash.length)
    : '';
};

/** The running digest of a log that has no events. */
export const emptyDigest = '';

/** The running digest of a log after one more event: SHA-256, base64url, over the digest before it and its hash. */
export const digestAfter = (digest: string, event: Pick<StoredEvent, 'metadata'>): string =>
  hash('sha256', digest + borneHash(event), 'base64url');

/** The hash of an event that is as it was written, in whichever form; null for any other. */
export const hashOfIntact = (previousHash: string, event: StoredEvent): string | null => {
  const kept = event.metadata.slice(0, event.metadata.lastIndexOf(beforeHash));
  const link = linkTo(previousHash);
  if (kept.endsWith(link)) {
    const metadata = kept.slice(0, -link.length);
    const ownHash = linkedForm.hashOf(previousHash, event, metadata);
    return event.metadata === linkedForm.seal(metadata, previousHash, ownHash) ? ownHash : null;
  }
  const ownHash = hashOf(previousHash, event, kept);
  return event.metadata === sealMetadata(kept, ownHash) ? ownHash : null;
};

export type ChainVerdict =
  | { readonly isIntact: true; readonly end: ChainEnd }
  | { readonly isIntact: false; readonly revision: number; readonly reason: 'altered' | 'out of order' };

/**
 * Follows a stream's events from `from` on (a page at a time, if it is long) and names the first revision that is not
 * as it was written. A cut-off tail shows in the seals of the log only.
 */
export const verifyChain = (events: Iterable<StoredEvent>, from: ChainEnd = chainStart): ChainVerdict => {
  let { revision, hash: previousHash } = from;
  let stream: string | null = null;
  for (const event of events) {
    revision++;
    stream ??= event.stream;
    if (event.revision !== revision || event.stream !== stream) {
      return { isIntact: false, revision, reason: 'out of order' };
    }
    const ownHash = hashOfIntact(previousHash, event);
    if (ownHash === null) return { isIntact: false, revision, reason: 'altered' };
    previousHash = ownHash;
  }
  return { isIntact: true, end: { revision, hash: previousHash } };
};
