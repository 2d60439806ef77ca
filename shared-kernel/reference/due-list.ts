const MINUTE = 60_000;

/**
 * Ids by the minute in which something is due for them, so that entering, leaving and finding what is due never look at
 * all of them.
 */
export const createDueList = () => {
  const minutes = new Map<number, Map<string, number>>();
  const minuteOf = new Map<string, number>();
  const leave = (id: string): void => {
    const minute = minuteOf.get(id);
    if (minute === undefined) return;
    minuteOf.delete(id);
    const others = minutes.get(minute);
    others?.delete(id);
    if (others?.size === 0) minutes.delete(minute);
  };
  return {
    leave,
    enter: (id: string, dueAt: number): void => {
      leave(id);
      const minute = Math.floor(dueAt / MINUTE);
      const others = minutes.get(minute) ?? new Map<string, number>();
      minutes.set(minute, others.set(id, dueAt));
      minuteOf.set(id, minute);
    },
    /** Takes at most `max` that are due out, the earliest minutes first. */
    take: (now: number, max: number): readonly string[] => {
      const due = [...minutes.keys()].filter((minute) => minute * MINUTE <= now).sort((a, b) => a - b);
      const taken: string[] = [];
      for (const minute of due) {
        for (const [id, dueAt] of minutes.get(minute) ?? []) {
          if (taken.length === max) break;
          if (dueAt <= now) taken.push(id);
        }
      }
      taken.forEach(leave);
      return taken;
    },
    clear: (): void => {
      minutes.clear();
      minuteOf.clear();
    },
  };
};
