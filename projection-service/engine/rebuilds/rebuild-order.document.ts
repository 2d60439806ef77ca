import type { Document } from '#kernel/projection.ts';
import { START } from '#ports/event-store.ts';
import type { RebuildPhase } from './fill-views.ts';
import type { RebuildFigures } from './pace.ts';

/** A rebuild that was asked for, as it is now. */
export interface RebuildState extends Omit<RebuildFigures, 'phase'> {
  /** Null once it has ended. */
  readonly phase: RebuildPhase | 'waiting' | null;
  readonly askedBy: string;
  /** ISO; null until it has begun. */
  readonly startedAt: string | null;
  readonly isDone: boolean;
  /** Why the old generation goes on serving; null while it is under way and when it has been done. */
  readonly failure: string | null;
}

/** An order as the read store keeps it. */
export interface RebuildOrder extends RebuildState, Document {
  /** Orders that were given together share it; null where an older release took it. */
  readonly pass: string | null;
  readonly askedAt: string;
  /** The last generation that was begun; it is this order's where `isBegun`. */
  readonly generation: number | null;
  readonly isBegun: boolean;
  /** Why it is to end; what it has filled is dropped then. */
  readonly ends: string | null;
  /** Asked for while this one was being ended. */
  readonly next: NewOrder | null;
}

export type NewOrder = typeof notBegun & Pick<RebuildOrder, 'pass' | 'askedBy' | 'askedAt'>;

/** An order before anything of it was done. */
export const notBegun = {
  phase: 'waiting',
  position: START,
  head: START,
  eventsRead: 0,
  eventsPerSecond: null,
  share: 0,
  secondsLeft: null,
  startedAt: null,
  isDone: false,
  failure: null,
  isBegun: false,
  ends: null,
  next: null,
} as const;

/** An older release kept positions, and whether it is done. */
export const ofOlderRelease = {
  ...{ ...notBegun, phase: null, askedBy: 'staff' },
  ...{ pass: null, askedAt: '', generation: null },
};

export const shownOf = ({
  pass: _pass,
  askedAt: _askedAt,
  generation: _generation,
  isBegun: _isBegun,
  ends: _ends,
  next: _next,
  _id,
  ...state
}: RebuildOrder): RebuildState => state;
