import { shareRead } from '#log/share-read.ts';
import type { RebuildPhase, RebuildProgress } from './fill-views.ts';

/** What is told of a rebuild under way (docs/rules/replay.md#progress). */
export interface RebuildFigures {
  readonly phase: RebuildPhase;
  readonly position: number;
  readonly head: number;
  /** Since it was begun, kills and all. */
  readonly eventsRead: number;
  /** Of this process; null until it is known. */
  readonly eventsPerSecond: number | null;
  /** Of the log, from 0 to 1. */
  readonly share: number;
  /** At the pace so far; null until it is known. */
  readonly secondsLeft: number | null;
}

/** Tells how fast a pass is from one progress to the next. `readBefore`: events, by those that it goes on from. */
export const createPace = (readBefore: number, now: () => number) => {
  const begun = now();
  let from: number | null = null;
  let last = 0;
  let readHere = 0;
  return ({ phase, position, head, events }: RebuildProgress): RebuildFigures => {
    from ??= position;
    // Each view counts from the beginning what it takes before it is switched.
    readHere += events < last ? events : events - last;
    last = events;
    const seconds = (now() - begun) / 1000;
    const perSecond = seconds > 0 ? (position - from) / seconds : 0;
    return {
      phase,
      position,
      head,
      eventsRead: readBefore + readHere,
      eventsPerSecond: seconds > 0 && readHere > 0 ? Math.round(readHere / seconds) : null,
      share: shareRead({ position, head }),
      secondsLeft: perSecond > 0 ? Math.ceil(Math.max(0, head - position) / perSecond) : null,
    };
  };
};
