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
  return ({ phase, position, head, events }: RebuildProgress): RebuildFigures => {
    from ??= position;
    const seconds = (now() - begun) / 1000;
    const perSecond = seconds > 0 ? (position - from) / seconds : 0;
    return {
      phase,
      position,
      head,
      eventsRead: readBefore + events,
      eventsPerSecond: seconds > 0 && events > 0 ? Math.round(events / seconds) : null,
      share: shareRead({ position, head }),
      secondsLeft: perSecond > 0 ? Math.ceil(Math.max(0, head - position) / perSecond) : null,
    };
  };
};
