/** What versions of a record have in common: where each key stands among the values. It only grows. */
type Places = Map<string, number>;

/**
 * A record that is never changed: a change gives another one, and costs little however many keys there are. To copy a
 * plain object of some keys costs as much as all else that a sale changes.
 */
export class VersionedRecord<Value> {
  /** Shared: keys whose places are beyond the values are those of other versions. */
  readonly #places: Places;
  readonly #values: readonly Value[];

  private constructor(places: Places, values: readonly Value[]) {
    this.#places = places;
    this.#values = values;
  }

  static of<Value>(entries: readonly (readonly [key: string, value: Value])[]): VersionedRecord<Value> {
    const places = new Map(entries.map(([key], place) => [key, place]));
    return new VersionedRecord(
      places,
      entries.map(([, value]) => value),
    );
  }

  get size(): number {
    return this.#values.length;
  }

  get(key: string): Value | undefined {
    const place = this.#places.get(key);
    return place === undefined ? undefined : this.#values[place];
  }

  /** With the value under the key: where the key stands already, otherwise at the end. */
  with(key: string, value: Value): VersionedRecord<Value> {
    const place = this.#places.get(key) ?? this.#places.size;
    // Another version has got other keys here.
    if (place > this.size) return VersionedRecord.of([...this.entries(), [key, value]]);
    this.#places.set(key, place);
    const values = this.#values.slice();
    values[place] = value;
    return new VersionedRecord(this.#places, values);
  }

  without(key: string): VersionedRecord<Value> {
    return VersionedRecord.of(this.entries().filter(([other]) => other !== key));
  }

  /** In the order in which they were put in. */
  entries(): readonly (readonly [key: string, value: Value])[] {
    const entries: [string, Value][] = [];
    for (const [key, place] of this.#places) {
      const value = this.#values[place];
      if (value === undefined) break;
      entries.push([key, value]);
    }
    return entries;
  }
}
