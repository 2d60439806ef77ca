import { once } from 'node:events';
import { status as code, type ServerWritableStream } from '@grpc/grpc-js';
import type { DoubleFaults } from './double-faults.ts';
import type { DoubleLog } from './double-log.ts';
import { caughtUp, checkpointAt, confirmation, eventMessage, filterOf } from './double-messages.ts';
import { consumerTooSlow } from './double-standing.ts';
import type { streams } from './protocol.ts';

type SubscriptionCall = ServerWritableStream<streams.ReadReq, streams.ReadResp>;

/** Events that the server looks at before it says how far a filtered subscription got. */
const PAGE = 32;
/** Events that a live subscription may have unsent, up to version 24.6. */
const LIVE_BUFFER = 32;

/**
 * Excludes the position. A filtered one is told a checkpoint when it has caught up and whenever the server has looked
 * at so many events; here it comes early and is beyond the event that is sent next, so that whoever began again there
 * would miss that event.
 */
export const respondToSubscription = async (
  log: DoubleLog,
  faults: DoubleFaults,
  call: SubscriptionCall,
  options: streams.ReadReq.Options,
): Promise<void> => {
  const subscription = new DoubleSubscription(log, faults, call, options);
  await subscription.run();
};

class DoubleSubscription {
  readonly #log: DoubleLog;
  readonly #faults: DoubleFaults;
  readonly #call: SubscriptionCall;
  readonly #options: streams.ReadReq.Options;
  readonly #matches: ReturnType<typeof filterOf>;
  readonly #ended = new AbortController();
  /** Of the next event in the log that is to be looked at. */
  #index: number;
  #isLive = false;

  constructor(
    log: DoubleLog,
    faults: DoubleFaults,
    call: SubscriptionCall,
    options: streams.ReadReq.Options,
  ) {
    this.#log = log;
    this.#faults = faults;
    this.#call = call;
    this.#options = options;
    this.#matches = filterOf(options);
    const from = options.getAll()?.getPosition()?.getCommitPosition();
    this.#index = from === undefined ? 0 : log.indexFrom(Number(from) + 1);
  }

  async run(): Promise<void> {
    const { signal } = this.#ended;
    this.#call.on('cancelled', () => this.#ended.abort());
    const forgetDrops = this.#faults.onDrop((how) => {
      this.#ended.abort();
      if (how === 'as if at its end') this.#call.end();
      if (how === 'with an error') this.#call.emit('error', { code: code.ABORTED, details: 'dropped' });
    });
    const forgetChanges = this.#log.onChange(() => this.#checkBuffer());
    try {
      await this.#send(confirmation());
      await this.#follow();
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      forgetDrops();
      forgetChanges();
    }
  }

  async #send(message: streams.ReadResp): Promise<void> {
    this.#ended.signal.throwIfAborted();
    if (message.hasEvent()) this.#faults.sentToSubscriptions++;
    if (!this.#call.write(message)) await once(this.#call, 'drain', { signal: this.#ended.signal });
  }

  async #follow(): Promise<void> {
    const interval =
      (this.#options.getFilter()?.getMax() ?? PAGE) *
      (this.#options.getFilter()?.getCheckpointintervalmultiplier() ?? 1);
    let looked = 0;
    for (;;) {
      await this.#faults.thawed();
      const page = this.#log.all.slice(this.#index, this.#index + PAGE);
      const end = page.at(-1);
      if (end === undefined) {
        if (!this.#isLive) await this.#send(caughtUp());
        this.#isLive = true;
        if (this.#isAtEnd()) await this.#log.changed(this.#ended.signal);
        continue;
      }
      const found = page.filter(this.#matches);
      const last = found.pop();
      for (const event of found) await this.#send(eventMessage(event));
      this.#index += page.length;
      looked += page.length;
      const goesLive = !this.#isLive && this.#isAtEnd();
      if (this.#options.hasFilter() && (looked >= interval || goesLive || this.#faults.dropsAtCheckpoint)) {
        looked = 0;
        await this.#send(checkpointAt(end.position));
        this.#faults.checkpointSent();
      }
      if (last) await this.#send(eventMessage(last));
    }
  }

  #isAtEnd(): boolean {
    return this.#index === this.#log.all.length;
  }

  /** A live subscription that more waits for than its buffer holds is ended, however quick its client is. */
  #checkBuffer(): void {
    if (!this.#isLive || this.#faults.isFrozen || this.#ended.signal.aborted) return;
    if (this.#log.all.length - this.#index <= LIVE_BUFFER) return;
    const waiting = this.#log.all.slice(this.#index).filter(this.#matches);
    if (waiting.length <= LIVE_BUFFER) return;
    this.#ended.abort();
    this.#faults.droppedAsTooSlow++;
    this.#call.emit('error', consumerTooSlow());
  }
}
