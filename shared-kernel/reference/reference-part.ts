import type { Recorded } from '#kernel/event.ts';

/**
 * One indexed piece of reference state, folded from the log in position order. It starts empty; then either `restore`
 * is called once with what `snapshot` answered earlier, or everything is applied from the log's first event.
 */
export interface ReferencePart {
  /** Unique among the parts; names its snapshot. */
  readonly name: string;
  /** Raised whenever the snapshot's shape or the meaning of the state changes: the part is then folded anew. */
  readonly version: number;
  /** The event types that change the state; `apply` is called with no other, each event once. */
  readonly eventTypes: readonly string[];
  apply(event: Recorded): void;
  /** The whole state as plain JSON. Later calls of `apply` must not change what was answered. */
  snapshot(): unknown;
  restore(snapshot: unknown): void;
}
