import type { DomainEvent, EventOfType, Recorded } from '#kernel/event.ts';
import type { ChunkedEntries } from './chunked-entries.ts';

/** What each event of a union changes. A type that is left out does not compile. */
export type Fold<Event extends DomainEvent> = {
  readonly [Type in Event['type']]: (event: Recorded<EventOfType<Event, Type>>) => void;
};

/**
 * One indexed piece of reference state, folded from the log in position order. It starts empty; then either `restore`
 * is called with everything that its entries said earlier, or everything is applied from the log's first event.
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
  /** True where no command is decided on it: callers do not wait until it is current. */
  readonly isBookkeeping?: boolean;
  /** The whole state, which indexes only repeat. */
  readonly entries: Pick<ChunkedEntries<unknown>, 'at' | 'take' | 'layOut' | 'changes'>;
  /** Takes some of its entries back, as JSON has kept them. Called until it has them all, before any event. */
  restore(kept: readonly (readonly [key: string, kept: unknown])[]): void;
  /** Forgets its indexes: its entries are laid out again. */
  clear(): void;
}

/** Hands an event to a part; nothing happens when it does not fold that type. */
export const applyEvent = ({ on, entries }: ReferencePart, event: Recorded): void => {
  const fold = on[event.type];
  if (!fold) return;
  entries.at(event.position);
  fold(event as never);
};
