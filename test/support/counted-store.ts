import type { EventStore, EventToAppend } from '#ports/event-store.ts';
import { holds } from './faults.ts';

/** An append that follows an answer: it is held until then, so a request that waits for it is never answered. */
interface Following {
  readonly type: string;
  readonly answered: PromiseWithResolvers<void>;
}

/** What a log was asked, in order: `append basket`, `read basket`, `head`. */
export class Calls {
  readonly made: string[] = [];
  /** How many of them had to wait for another one, or for nobody. */
  oneAfterAnother = 0;
  #underWay = 0;
  #following: Following | null = null;

  /** Asks for what an event of this type follows: its append is no step. */
  async thenFollows<Answer>(type: string, ask: () => Promise<Answer>): Promise<Answer> {
    const following = { type, answered: Promise.withResolvers<void>() };
    this.#following = following;
    try {
      return await ask();
    } finally {
      this.#following = null;
      following.answered.resolve();
    }
  }

  append<Answer>(
    stream: string,
    events: readonly EventToAppend[],
    answer: () => Promise<Answer>,
  ): Promise<Answer> {
    const { type, answered } = this.#following ?? {};
    if (type === undefined || !answered || !holds(type)(stream, events))
      return this.make('append', stream, answer);
    this.made.push(`append ${stream.split('-')[0] ?? ''}`);
    return answered.promise.then(answer);
  }

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
    append: (stream, revision, events) =>
      calls.append(stream, events, () => store.append(stream, revision, events)),
    readStream: (stream, ...rest) => calls.make('read', stream, () => store.readStream(stream, ...rest)),
    head: () => calls.make('head', '', () => store.head()),
    readAll: (...args) => store.readAll(...args),
    eventAt: (...args) => store.eventAt(...args),
    subscribe: (...args) => store.subscribe(...args),
    ping: () => store.ping(),
    close: () => store.close(),
  });
