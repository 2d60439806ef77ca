/** How long the adapter believes in a node that says nothing. */
export interface Patience {
  /** After so long without an answer the leader is looked for, beside the call that waits. */
  readonly silenceMilliseconds: number;
  /** And again at this interval while there is none. */
  readonly againMilliseconds: number;
  /** How long a node may take to say who leads. */
  readonly gossipMilliseconds: number;
}

export const defaultPatience: Patience = {
  silenceMilliseconds: 2000,
  againMilliseconds: 500,
  gossipMilliseconds: 1000,
};

/** Tells `onSilence` once nothing has been heard for `first` milliseconds, then every `again` until something is. */
export class SilenceWatch {
  readonly #onSilence: () => void;
  readonly #first: number;
  readonly #again: number;
  #isSilent = false;
  #timer: NodeJS.Timeout;

  constructor(first: number, again: number, onSilence: () => void) {
    this.#first = first;
    this.#again = again;
    this.#onSilence = onSilence;
    this.#timer = setTimeout(() => this.#silent(), first);
  }

  heard(): void {
    if (!this.#isSilent) return void this.#timer.refresh();
    this.#isSilent = false;
    this.end();
    this.#timer = setTimeout(() => this.#silent(), this.#first);
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #silent(): void {
    this.#isSilent = true;
    this.#timer = setTimeout(() => this.#silent(), this.#again);
    this.#onSilence();
  }
}
