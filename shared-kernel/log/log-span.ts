import { markOf, type LogMark, type StoredEvent } from '#ports/event-store.ts';
import { recordedAtOf } from './envelope.ts';

/** A stretch of the log and when it was recorded. Where several clocks write, not in the order of its events. */
export interface LogSpan {
  readonly upTo: LogMark;
  /** How many events it holds. */
  readonly size: number;
  /** In milliseconds since 1970. */
  readonly earliest: number;
  readonly latest: number;
}

/** Milliseconds since 1970; null where the envelope is damaged: such an event is as old as those around it. */
export const instantOf = (event: StoredEvent): number | null => {
  try {
    return Date.parse(recordedAtOf(event));
  } catch {
    return null;
  }
};

/** The page as one span, without parsing any event; none where nothing says when it was recorded. */
export const spanOf = (page: readonly StoredEvent[]): readonly LogSpan[] => {
  let [earliest, latest] = [Infinity, -Infinity];
  for (const event of page) {
    const instant = instantOf(event);
    if (instant === null) continue;
    earliest = Math.min(earliest, instant);
    latest = Math.max(latest, instant);
  }
  const last = page.at(-1);
  return last && earliest <= latest ? [{ upTo: markOf(last), size: page.length, earliest, latest }] : [];
};
