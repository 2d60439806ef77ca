import type { DomainEvent, EventOfType, Recorded } from '#kernel/event.ts';

/** What each event of a union changes. A type that is left out does not compile. */
export type Fold<Event extends DomainEvent> = {
  readonly [Type in Event['type']]: (event: Recorded<EventOfType<Event, Type>>) => void;
};

/**
 * One indexed piece of reference state, folded from the log in position order. It starts empty; then either `restore`
 * is called once with what `snapshot` returned earlier, or everything is applied from the log's first event.
 */
export interface ReferencePart {
  /** Unique among the parts; names its snapshot. */
  readonly name: string;
  /**
   * Raised when the snapshot's shape or the meaning of the state changes: the part is then folded again. A change of
   * the events' schemas does so by itself.
   */
  readonly version: number;
  /** By event type, what it changes; other types are not its business. Each event is applied once. */
  readonly on: Readonly<Record<string, (event: never) => void>>;
  /** True where no command is decided on it: nobody waits until it is as new as elsewhere. */
  readonly isBookkeeping?: boolean;
  /** The whole state as plain JSON. Later events must not change what was returned. */
  snapshot(): unknown;
  restore(snapshot: unknown): void;
}

/** Hands an event to a part; nothing happens when it does not fold that type. */
export const applyEvent = ({ on }: ReferencePart, event: Recorded): void => on[event.type]?.(event as never);
