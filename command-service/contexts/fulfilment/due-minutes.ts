const MINUTE = 60_000;

/** Ids by the minute in which they are due: only minutes are scanned, never all ids. */
export const createDueMinutes = () => {
  const minutes = new Map<number, Set<string>>();
  const minuteOf = new Map<string, number>();
  const leave = (id: string): void => {
    const minute = minuteOf.get(id);
    if (minute === undefined) return;
    const ids = minutes.get(minute);
    ids?.delete(id);
    if (ids?.size === 0) minutes.delete(minute);
    minuteOf.delete(id);
  };
  return {
    enter: (id: string, dueAt: number): void => {
      leave(id);
      const minute = Math.floor(dueAt / MINUTE);
      const ids = minutes.get(minute) ?? new Set();
      minutes.set(minute, ids.add(id));
      minuteOf.set(id, minute);
    },
    leave,
    /** At most `max` whose minute has begun, the earliest minutes first. */
    due: (now: number, max: number): readonly string[] =>
      [...minutes.keys()]
        .filter((minute) => minute * MINUTE <= now)
        .sort((one, other) => one - other)
        .flatMap((minute) => [...(minutes.get(minute) ?? [])].slice(0, max))
        .slice(0, max),
    clear: (): void => {
      minutes.clear();
      minuteOf.clear();
    },
  };
};
