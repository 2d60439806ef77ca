import type { EventStore } from '#ports/event-store.ts';

/** What a log was asked, in order: `append basket`, `read basket`, `head`. */
export class Calls {
  readonly made: string[] = [];
  /** How many of them had to wait for another one, or for nobody. */
  oneAfterAnother = 0;
  #underWay = 0;

  count(kind: string): number {
    return this.made.filter((call) => call.split(' ')[0] === kind).length;
  }

  forget(): void {
    this.made.length = 0;
    this.oneAfterAnother = 0;
  }

  async make<Answer>(call: string, stream: string, answer: () => Promise<Answer>): Promise<Answer> {
    this.made.push(`${call} ${stream.split('-')[0] ?? ''}`.trim());
    if (this.#underWay++ === 0) this.oneAfterAnother++;
    try {
      return await answer();
    } finally {
      this.#underWay--;
    }
  }
}

/** A log that others write too, as far as the shop knows. */
export const countedStore =
  (calls: Calls) =>
  (store: EventStore): EventStore => ({
    isOnlyWriter: false,
    append: (stream, ...rest) => calls.make('append', stream, () => store.append(stream, ...rest)),
    readStream: (stream, ...rest) => calls.make('read', stream, () => store.readStream(stream, ...rest)),
    head: () => calls.make('head', '', () => store.head()),
    readAll: (...args) => store.readAll(...args),
    eventAt: (...args) => store.eventAt(...args),
    subscribe: (...args) => store.subscribe(...args),
    ping: () => store.ping(),
    close: () => store.close(),
  });
