import { setImmediate as nextTurn } from 'node:timers/promises';
import { MAX_PAGE, type StoredEvent } from '#ports/event-store.ts';
import type { Connection, ReadCall } from './connection.ts';
import { eventIn, subscribeAfter } from './read-messages.ts';

/** One subscription of the server until it ends, for whatever reason; it never comes back by itself. */
export class Subscription {
  readonly #timer: NodeJS.Timeout;
  /** At most a page waits here: beyond that the call is paused, and the server with it. */
  #events: StoredEvent[] = [];
  #isNewlyConfirmed = false;
  #end: { readonly reason: unknown } | undefined;
  #call: ReadCall | undefined;
  #wake: () => void = () => undefined;

  /** Asks for what lies after the position `after`. */
  constructor(connection: Connection, after: number) {
    this.#timer = setTimeout(
      () => this.end(new Error('the subscription was not confirmed')),
      connection.timeoutMilliseconds,
    );
    connection.read(subscribeAfter(after), Infinity).then(
      (call) => this.#listen(call),
      (error: unknown) => this.end(error),
    );
  }

  /** Why it ended. */
  get reason(): unknown {
    return this.#end?.reason;
  }

  /** What has come in by now, at most a page; empty when the server has just confirmed. Undefined at the end. */
  async next(): Promise<readonly StoredEvent[] | undefined> {
    for (;;) {
      const events = this.#events;
      if (events.length > 0 || this.#isNewlyConfirmed) {
        this.#isNewlyConfirmed = false;
        this.#events = [];
        this.#call?.resume();
        return events;
      }
      if (this.#end) return undefined;
      await new Promise<void>((resolve) => (this.#wake = resolve));
      // What arrived together goes out together: gRPC hands over one message at a time.
      await nextTurn();
    }
  }

  /** Leaves the server. */
  end(reason: unknown): void {
    if (this.#end) return;
    this.#end = { reason };
    clearTimeout(this.#timer);
    this.#call?.cancel();
    this.#wake();
  }

  #listen(call: ReadCall): void {
    this.#call = call;
    if (this.#end) return call.cancel();
    call.on('error', (error) => this.end(error));
    for (const event of ['end', 'close']) call.on(event, () => this.end(new Error('the server ended it')));
    call.on('data', (response) => {
      try {
        if (response.hasConfirmation()) this.#confirmed();
        const event = eventIn(response);
        if (event) this.#received(event);
      } catch (error) {
        this.end(error);
      }
    });
  }

  #confirmed(): void {
    clearTimeout(this.#timer);
    this.#isNewlyConfirmed = true;
    this.#wake();
  }

  #received(event: StoredEvent): void {
    this.#events.push(event);
    if (this.#events.length === MAX_PAGE) this.#call?.pause();
    this.#wake();
  }
}
