import type { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { Reached } from '#kernel/reached.ts';

/** Bytes of an open file. Its receiver closes it. */
export interface FileBody {
  readonly bytes: number;
  /** Fills memory from a place on, never beyond its end; resolves with how much there was. */
  read(into: Buffer, at: number): Promise<number>;
  close(): Promise<void>;
}

/** A text that all callers share: a slow reader holds no copy of it. */
export interface SharedText {
  readonly plain: Buffer;
  readonly gzip: Buffer;
}

export interface CookieToSet {
  readonly name: string;
  /** null deletes the cookie. */
  readonly value: string | null;
  readonly maxAgeSeconds?: number;
  readonly httpOnly?: boolean;
  readonly sameSite?: 'lax' | 'strict';
}

/**
 * A response. `json` is serialised; `text` is JSON text that goes out as it is, `shared` one that is the same for all
 * callers, compressed where they accept that; `stream` is sent as fast as the caller reads, and destroyed when they
 * go away; so is a `file`, and closed.
 */
export interface Reply {
  readonly status: number;
  /** Why it is a refusal; its body says the same. */
  readonly code?: string;
  readonly json?: unknown;
  readonly text?: string;
  readonly shared?: SharedText;
  readonly stream?: Readable;
  /** Ends a stream that lasts for as long as its caller stays: asked when the server stops. */
  readonly endStream?: () => void;
  readonly file?: FileBody;
  readonly headers?: Readonly<Record<string, string>>;
  /** How a `text` for agents is signed each time it goes out: the whole answer, or its body alone. */
  readonly signedAs?: 'message' | 'detached';
  readonly cookies?: readonly CookieToSet[];
  /** The basket with which the visitor goes on, in a signed cookie; null: none any more. Left out: as before. */
  readonly basketId?: string | null;
  /** Whose that basket is where it is not said by who asks: of a guest who has just signed in. */
  readonly basketOf?: string;
  /**
   * The log position that a later request may ask to see: header Tillroll-Position and a cookie. That of the last thing
   * which the request wrote is told even where this is less.
   */
  readonly position?: number;
}

/** The answer, with a position that covers all that was written for it. */
export const covering = (reply: Reply, { position }: Reached): Reply =>
  position > (reply.position ?? 0) ? { ...reply, position } : reply;

/** Made once for all who will ask. */
export const sharedText = (text: string): SharedText => {
  const plain = Buffer.from(text);
  return { plain, gzip: gzipSync(plain) };
};

export const ok = (json: unknown, more: Omit<Reply, 'status' | 'json'> = {}): Reply => ({
  status: 200,
  json,
  ...more,
});
export const created = (
  location: string,
  json: unknown,
  more: Omit<Reply, 'status' | 'json'> = {},
): Reply => ({
  status: 201,
  json,
  ...more,
  headers: { ...more.headers, Location: location },
});
export const noContent = (more: Omit<Reply, 'status'> = {}): Reply => ({ status: 204, ...more });
