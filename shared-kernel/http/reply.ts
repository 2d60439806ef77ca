import type { Readable } from 'node:stream';
import type { Reached } from '#kernel/reached.ts';

/** Bytes of a file that is open. Whoever gets one closes it. */
export interface FileBody {
  readonly bytes: number;
  /** Fills memory from a place on, never beyond its end; resolves with how much there was. */
  read(into: Buffer, at: number): Promise<number>;
  close(): Promise<void>;
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
 * An answer. `json` is serialised; `text` is a JSON text that was serialised before and goes out as it is; `stream` is
 * sent as fast as the caller reads, and destroyed when they go away; so is a `file`, and closed.
 */
export interface Reply {
  readonly status: number;
  /** Why it is a refusal; not sent. */
  readonly code?: string;
  readonly json?: unknown;
  readonly text?: string;
  readonly stream?: Readable;
  readonly file?: FileBody;
  readonly headers?: Readonly<Record<string, string>>;
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
