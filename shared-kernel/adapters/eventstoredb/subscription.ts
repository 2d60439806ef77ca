import { setImmediate as nextTurn } from 'node:timers/promises';
import { MAX_PAGE, type StoredEvent } from '#ports/event-store.ts';
import type { Connection } from './connection.ts';
import { isTooSlow } from './failures.ts';
import type { Node, ReadCall } from './node.ts';
import type { SilenceWatch } from './patience.ts';
import { eventIn, subscribeAfter } from './read-messages.ts';

/** One subscription of the server until it ends for any reason; it never comes back by itself. */
export class Subscription {
  readonly #connection: Connection;
  readonly #confirmed = Promise.withResolvers<void>();
  /** At most a page waits here: beyond that the call is paused, and the server with it. */
  #events: StoredEvent[] = [];
  #isNewlyConfirmed = false;
  #end: { readonly reason: unknown } | undefined;
  #call: ReadCall | undefined;
  #node: Node | undefined;
  #watch: SilenceWatch | undefined;
  #forget: () => void = () => undefined;
  #wake: () => void = () => undefined;

  /** Asks for what comes after the position `after`. */
  constructor(connection: Connection, after: number) {
    this.#connection = connection;
    connection
      .within(Date.now() + connection.timeoutMilliseconds, (node) => this.#begin(node, after))
      .catch((error: unknown) => this.end(error));
  }

  /** Why it ended. */
  get reason(): unknown {
    return this.#end?.reason;
  }

  /** True when the server ended it because more waited for it than the server keeps. */
  get wasTooSlow(): boolean {
    return isTooSlow(this.reason);
  }

  /** What has come in by now, at most a page; empty when the server has just confirmed. Undefined at the end. */
  async next(): Promise<readonly StoredEvent[] | undefined> {
    for (;;) {
      if ((this.#events.length > 0 || this.#isNewlyConfirmed) && (await this.#isBelieved())) {
        const events = this.#events;
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

  /** False when the node was left: what it said last is read again from the next one. */
  async #isBelieved(): Promise<boolean> {
    if (!this.#node) return true;
    return this.#connection.trusted(this.#node).then(
      () => !this.#node?.isLeft,
      () => false,
    );
  }

  /** Leaves the server. */
  end(reason: unknown): void {
    if (this.#end) return;
    this.#end = { reason };
    this.#forget();
    this.#watch?.end();
    this.#call?.cancel();
    this.#confirmed.resolve();
    this.#wake();
  }

  /** Resolves when the server has confirmed, or there is no follower any more. */
  #begin(node: Node, after: number): Promise<void> {
    if (this.#end) return Promise.resolve();
    this.#node = node;
    const call = (this.#call = node.read(subscribeAfter(after), Infinity));
    this.#forget = node.onLeft((reason) => this.end(reason));
    call.on('error', (error) => this.#lost(node, error));
    for (const event of ['end', 'close'])
      call.on(event, () => this.#lost(node, new Error('the server ended it')));
    call.on('data', (response) => {
      this.#watch?.heard();
      try {
        if (response.hasConfirmation()) this.#isConfirmed(node);
        const event = eventIn(response);
        if (event) this.#received(event);
      } catch (error) {
        this.end(error);
      }
    });
    return this.#confirmed.promise;
  }

  #lost(node: Node, error: unknown): void {
    if (this.#end) return;
    this.end(error);
    this.#connection.failed(node, error);
  }

  #isConfirmed(node: Node): void {
    this.#confirmed.resolve();
    this.#watch = this.#connection.keepChecking(node);
    this.#isNewlyConfirmed = true;
    this.#wake();
  }

  #received(event: StoredEvent): void {
    this.#events.push(event);
    if (this.#events.length === MAX_PAGE) this.#call?.pause();
    this.#wake();
  }
}
