const DAY = 86_400_000;
/** As long as baskets without an order are kept in sight by default. */
const KEPT_DAYS = 90;

const dayOf = (instant: number): number => Math.floor(instant / DAY);

/** Baskets by the day on which something last happened to them. The log alone says when they have passed. */
export const createTouchedDays = () => {
  const days = new Map<number, Set<string>>();
  const dayOfId = new Map<string, number>();
  let lookedOn = -Infinity;
  const leave = (id: string): void => {
    const day = dayOfId.get(id);
    if (day === undefined) return;
    dayOfId.delete(id);
    const others = days.get(day);
    others?.delete(id);
    if (others?.size === 0) days.delete(day);
  };
  return {
    leave,
    enter: (id: string, touchedAt: number): void => {
      const day = dayOf(touchedAt);
      if (dayOfId.get(id) === day) return;
      leave(id);
      days.set(day, (days.get(day) ?? new Set<string>()).add(id));
      dayOfId.set(id, day);
    },
    /** Those to which nothing has happened for long; once a day. */
    passed: (now: number): readonly string[] => {
      const today = dayOf(now);
      if (today <= lookedOn) return [];
      lookedOn = today;
      return [...days].filter(([day]) => day < today - KEPT_DAYS).flatMap(([, ids]) => [...ids]);
    },
    clear: (): void => {
      days.clear();
      dayOfId.clear();
      lookedOn = -Infinity;
    },
  };
};
