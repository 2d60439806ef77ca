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

/**
 * The hash of an event: SHA-256, base64url, over the previous hash of its stream, the stream, revision, id, type, data
 * and metadata as stored. `metadata` is the JSON text without its last two members, `previousHash` and `hash`; the
 * schema version and the recorded time stand in it.
 */
export const hashOf = (previousHash: string, event: Link, metadata: string): string =>
  hash(
    'sha256',
    measured(previousHash) +
      measured(event.stream) +
      measured(String(event.revision)) +
      measured(event.id) +
      measured(event.type) +
      measured(event.data) +
      measured(metadata),
    'base64url',
  );

/** The metadata text with the hashes as its last members. `metadata` is the JSON text up to its closing brace. */
export const sealMetadata = (metadata: string, previousHash: string, ownHash: string): string =>
  `${metadata},"previousHash":"${previousHash}","hash":"${ownHash}"}`;

const withoutHashes = (metadata: string): string => {
  const cut = metadata.lastIndexOf(',"previousHash":"');
  return cut < 0 ? metadata : metadata.slice(0, cut);
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
    const metadata = withoutHashes(event.metadata);
    const ownHash = hashOf(previousHash, event, metadata);
    if (event.metadata !== sealMetadata(metadata, previousHash, ownHash)) {
      return { isIntact: false, revision, reason: 'altered' };
    }
    previousHash = ownHash;
  }
  return { isIntact: true, end: { revision, hash: previousHash } };
};
