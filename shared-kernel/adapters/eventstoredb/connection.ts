import { setTimeout as sleep } from 'node:timers/promises';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { ServerAddress } from './address.ts';
import { causeOf, certificateProblem, RefusedByServer } from './failures.ts';
import { LastSeen } from './last-seen.ts';
import { Leader, type LeaderOptions } from './leader.ts';
import type { Node } from './node.ts';
import { SilenceWatch, type Patience } from './patience.ts';

/** How often a read goes to another node when the one it was on has been left. */
const MOST_READS = 4;
const PAUSE_MILLISECONDS = 20;

/** Does one call on a node; `heard` is called for every sign of life before the answer. */
type Work<T> = (node: Node, heard: () => void) => Promise<T>;

/** Brings calls to the leader, and waits for them no longer than it may. */
export class Connection {
  readonly timeoutMilliseconds: number;
  readonly #patience: Patience;
  readonly #leader: Leader;
  /** What this process knows of the log. */
  readonly lastSeen = new LastSeen();
  readonly #closing = new AbortController();
  #hasAnswered = false;

  constructor(server: ServerAddress, patience: Patience, onChange: LeaderOptions['onChange']) {
    this.timeoutMilliseconds = server.timeoutMilliseconds;
    this.#patience = patience;
    this.#leader = new Leader({ server, patience, onChange, lastSeen: this.lastSeen });
  }

  /** Aborts when the connection closes. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Grows with every new connection to a node. */
  get generation(): number {
    return this.#leader.generation;
  }

  /** Grows whenever a node is left or comes into doubt. */
  get disturbances(): number {
    return this.#leader.disturbances;
  }

  /**
   * Waits for `work` until `deadline`, in milliseconds since 1970; it covers the search for the leader. Throws
   * `EngineUnavailable`, or what `work` does; when the node is left meanwhile, `work` has to end by itself.
   */
  async within<T>(deadline: number, work: Work<T>): Promise<T> {
    const { promise: gaveUp, reject } = Promise.withResolvers<never>();
    const onClose = (): void => reject(new EngineUnavailable('the event store was closed'));
    this.closing.addEventListener('abort', onClose);
    const timer = setTimeout(() => reject(this.#tooLate()), Math.max(0, deadline - Date.now()));
    let node: Node | undefined;
    let watch: SilenceWatch | undefined;
    try {
      node = await Promise.race([gaveUp, this.#leader.node()]);
      watch = this.#watch(node);
      const working = work(node, () => watch?.heard());
      const answer = await Promise.race([gaveUp, this.#believed(node, working)]);
      this.#hasAnswered = true;
      return answer;
    } catch (error) {
      if (node) this.#leader.failed(node, error);
      throw this.#asToCertificates(error);
    } finally {
      watch?.end();
      clearTimeout(timer);
      this.closing.removeEventListener('abort', onClose);
    }
  }

  /** For work that may be done twice: when the node is left, it is begun again on another one. */
  async repeatedly<T>(deadline: number, work: Work<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      let node: Node | undefined;
      try {
        return await this.within(deadline, (on, heard) => work((node = on), heard));
      } catch (error) {
        if (tries === MOST_READS || !node?.isLeft || !this.#leader.mayBeElsewhere) throw error;
      }
      await sleep(PAUSE_MILLISECONDS * tries);
    }
  }

  /** Resolves when what the node has said may be believed, at once as a rule. Rejects when the node is left. */
  async trusted(node: Node): Promise<void> {
    if (this.#leader.isInDoubt(node)) await this.#leader.confirmed(node);
  }

  /** The failure of a call without a deadline. */
  failed(node: Node, error: unknown): void {
    this.#leader.failed(node, error);
  }

  /** For a call that has nothing to say for long: makes sure that its node is still there and leads. */
  keepChecking(node: Node): SilenceWatch {
    const { silenceMilliseconds } = this.#patience;
    return new SilenceWatch(silenceMilliseconds, silenceMilliseconds, () => void this.#leader.check(node));
  }

  close(): void {
    this.#closing.abort();
    this.#leader.close();
  }

  /** A certificate that is wrong from the start is a mistake in the settings; one that goes wrong later an outage. */
  #asToCertificates(error: unknown): unknown {
    const problem = certificateProblem(error);
    if (problem === null) return error;
    return new (this.#hasAnswered ? EngineUnavailable : RefusedByServer)(problem, { cause: error });
  }

  /** An answer, also a refusal, of a node in doubt may be of the past: it waits until the node leads for sure. */
  async #believed<T>(node: Node, answer: Promise<T>): Promise<T> {
    try {
      const value = await answer;
      if (this.#leader.isInDoubt(node)) await this.#leader.confirmed(node);
      return value;
    } catch (error) {
      if (this.#leader.isInDoubt(node) && causeOf(error) === 'the call') await this.#leader.confirmed(node);
      throw error;
    }
  }

  #watch(node: Node): SilenceWatch {
    const { silenceMilliseconds, againMilliseconds } = this.#patience;
    return new SilenceWatch(silenceMilliseconds, againMilliseconds, () => this.#leader.doubt(node));
  }

  #tooLate(): EngineUnavailable {
    return new EngineUnavailable(`EventStoreDB did not answer in ${this.timeoutMilliseconds} ms`);
  }
}
