/** The types of events that a follower asks its feed for, worked out once for each state. */
export class WantedTypes<State> {
  readonly #typesOf: (state: State) => ReadonlySet<string>;
  #state: State | null = null;
  #types: ReadonlySet<string> = new Set();

  constructor(typesOf: (state: State) => ReadonlySet<string>) {
    this.#typesOf = typesOf;
  }

  /** From now on those of this state. */
  take(state: State): ReadonlySet<string> {
    this.#state = state;
    this.#types = this.#typesOf(state);
    return this.#types;
  }

  /** Whether a state asks for more, or for less. */
  differIn(state: State): boolean {
    if (state === this.#state) return false;
    if (this.#typesOf(state).symmetricDifference(this.#types).size > 0) return true;
    this.#state = state;
    return false;
  }
}
