/** Figures that a stream's events state, and that follow from what each of them changes. */
export type Levels = readonly number[];

/** False of what a damaged event says. */
const isKnown = (levels: Levels): boolean => levels.every(Number.isInteger);

const isSame = (one: Levels, other: Levels): boolean => one.every((level, place) => level === other[place]);

/**
 * Adds up what events change, stream by stream, beside what they state. After one that says otherwise, it goes on with
 * whichever of the two the next event agrees with: one damage is told once, be it in the change or in the figure.
 */
export class LevelFold {
  readonly #none: Levels;
  readonly #folded = new Map<string, Levels>();
  /** Of streams whose last event said otherwise: what it said. */
  readonly #stated = new Map<string, Levels>();
  /** Streams whose last event says nothing that can be read: the next one is believed. */
  readonly #lost = new Set<string>();

  constructor(none: Levels) {
    this.#none = none;
  }

  /** What the event should have stated; null where it did. `after`: the levels that may follow from those before. */
  take(stream: string, stated: Levels, after: (before: Levels) => readonly Levels[]): Levels | null {
    const before = this.#folded.get(stream) ?? this.#none;
    const other = this.#stated.get(stream);
    const expected = after(before);
    const isAsStated = (levels: Levels): boolean => isSame(levels, stated);
    const isBelieved = isKnown(stated) && this.#lost.delete(stream);
    if (isBelieved || expected.some(isAsStated) || (other && after(other).some(isAsStated))) {
      this.#folded.set(stream, stated);
      this.#stated.delete(stream);
      return null;
    }
    const [first = before] = expected.filter(isKnown);
    this.#folded.set(stream, first);
    if (isKnown(stated)) this.#stated.set(stream, stated);
    else if (!expected.some(isKnown)) this.#lost.add(stream);
    return first;
  }
}

/** A whole number of an event that may be damaged; NaN where it has none. */
export const numberIn = (data: unknown, field: string): number => {
  const value = (data as Readonly<Record<string, unknown>> | null)?.[field];
  return typeof value === 'number' ? value : NaN;
};

export const textIn = (data: unknown, field: string): string => {
  const value = (data as Readonly<Record<string, unknown>> | null)?.[field];
  return typeof value === 'string' ? value : '';
};
