import type { Recorded } from '#kernel/event.ts';
import type { StoredEvent } from '#ports/event-store.ts';

/** Something that is not as it was written, or does not add up, and where. */
export interface Problem {
  /** The check that found it. */
  readonly check: string;
  /** Null where no event is there to name. */
  readonly position: number | null;
  readonly stream: string | null;
  readonly revision: number | null;
  readonly found: string;
  readonly expected: string;
}

export type Report = (problem: Omit<Problem, 'check'>) => void;

/** Where the log ended when the verification began. */
export interface LogEnd {
  readonly position: number;
  readonly events: number;
  /** Of its last event; null on an empty log, or where that event is damaged. */
  readonly recordedAt: string | null;
}

/**
 * One thing that is verified along a single pass over the log, in position order. The log may be damaged anywhere: a
 * check reports what it finds, throws nothing, and goes on. It keeps no more than a few bytes for each stream.
 */
export interface LogCheck {
  readonly name: string;
  /** Of which it takes events in today's schemas; what is encrypted in them reads as null. */
  readonly eventTypes?: ReadonlySet<string>;
  /** Every event, as stored. */
  takeStored?(event: StoredEvent): void;
  /** An event of its types. */
  take?(event: Recorded): void;
  /** At the end of the log as it was when the verification began: purchases may be under way beyond it. */
  finish?(end: LogEnd): void;
}

export type CreateLogCheck = (report: Report) => LogCheck;

/** The place of an event, for a report. */
export const placeOf = ({
  position,
  stream,
  revision,
}: Pick<StoredEvent, 'position' | 'stream' | 'revision'>): Pick<
  Problem,
  'position' | 'stream' | 'revision'
> => ({
  position,
  stream,
  revision,
});

/** Where no event is there to name. */
export const noPlace = { position: null, stream: null, revision: null } as const;
