/** An event ready for the log. `data` and `metadata` are JSON texts, stored and hashed byte for byte. */
export interface EventToAppend {
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

/** An event as the log holds it. `revision` counts from 0 in its stream; `position` orders the whole log. */
export interface StoredEvent extends EventToAppend {
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
}

/** A reader's place in the log: a position, and which event it is. */
export interface LogMark {
  readonly position: number;
  /** Null at START, and where an older release kept the position alone. */
  readonly eventId: string | null;
}

/** The revision before the first event: `expectedRevision` of an append that creates the stream. */
export const NO_STREAM = -1;
/** The position before the first event of a log. */
export const START = 0;
export const startMark: LogMark = { position: START, eventId: null };

export const markOf = ({ position, id }: Pick<StoredEvent, 'position' | 'id'>): LogMark => ({
  position,
  eventId: id,
});

/** The largest page that a read returns. */
export const MAX_PAGE = 1000;

/** How far ahead an engine looks at once for events of some types, in pages. */
export const PAGES_LOOKED_THROUGH = 20;

/** Of a stretch of the log: the first `limit` events of some types, or all of these and the last of the stretch. */
export const pageOfTypes = (
  stretch: readonly StoredEvent[],
  types: ReadonlySet<string>,
  limit: number,
): readonly StoredEvent[] => {
  const last = stretch.length - 1;
  return stretch.filter(({ type }, index) => types.has(type) || index === last).slice(0, limit);
};

export interface AppendResult {
  /** Revision and position of the last event of this append. */
  readonly revision: number;
  readonly position: number;
}

export interface ReadStreamOptions {
  /** Inclusive. Default: 0 forwards, the end backwards. */
  readonly fromRevision?: number;
  readonly direction?: 'forwards' | 'backwards';
  /** At most MAX_PAGE, which is the default. */
  readonly limit?: number;
}

/**
 * The append-only log.
 *
 * - Positions are opaque, above START, ordered and become visible in order: a reader that has seen 11 never later meets
 *   a new 10. They need not be contiguous. `after` is exclusive everywhere.
 * - An append is durable once its promise resolves, and is whole or not at all. Appending the same ids to the same
 *   stream again with the same expected revision succeeds and returns what the first append returned.
 * - Errors: `WrongExpectedRevision`; `EngineUnavailable`, after which the outcome is unknown until the same append has
 *   been tried again; `StreamDamaged` where part of a stream is gone; `NoSuchPosition` of a reader that would begin
 *   where the log has no event, if the engine notices.
 */
export interface EventStore {
  append(stream: string, expectedRevision: number, events: readonly EventToAppend[]): Promise<AppendResult>;
  /** A page of one stream; empty when there is no such stream or nothing further. */
  readStream(stream: string, options?: ReadStreamOptions): Promise<readonly StoredEvent[]>;
  /**
   * A page of the whole log, without the engine's system events, in position order. With `types`, events of others are
   * left out, save the last one that was looked at: a page ends where the next begins, and only at the end of the log
   * is one empty.
   */
  readAll(after: number, limit?: number, types?: ReadonlySet<string>): Promise<readonly StoredEvent[]>;
  /** The event at this very position; null where the log has none, or one of the engine's own. */
  eventAt(position: number): Promise<StoredEvent | null>;
  /**
   * Catches up, then goes live, without a gap or a duplicate. Yields non-empty batches of at most MAX_PAGE events, the
   * next one when the last has been handled. Reconnects by itself. Ends when the signal aborts or the store closes.
   */
  subscribe(after: number, signal: AbortSignal): AsyncIterable<readonly StoredEvent[]>;
  /** Position of the last event; START on an empty log. */
  head(): Promise<number>;
  /** How often an engine that has such a limit ended a follower as too slow, which went on at once. */
  slowSubscriptions?(): number;
  /** Grows whenever an engine elsewhere was silent, lost or left: what it said around then may be of the past. */
  disturbances?(): number;
  /** True when this process is the only one that can append while it runs. */
  readonly isOnlyWriter: boolean;
  /** Throws `EngineUnavailable` when the engine does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
