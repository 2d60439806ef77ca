import type { Logger } from 'pino';
import type { Delivery } from '#topics/webhook-delivery.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { within } from '../../engine/within.ts';
import type { CountedIn } from './delivery-rows.ts';
import { addToCounters, noAddition, withOutcome, type Addition, type CountedResult } from './counter-rows.ts';

/** How the deliveries of each subscription went, counted by attempts (docs/rules/webhooks.md#figures). */
export interface DeliveryCounter {
  /** `delivery` as it stands after it was queued and refused. Written before long. */
  count(delivery: Delivery, result: CountedResult, at: string): void;
  /**
   * Counts what `record` answers, unless that is null. It writes `countedIn` into the row together with the outcome:
   * should this process be killed before it has counted it, the row tells. Rejects as `record` does.
   */
  recordAndCount(
    result: CountedResult,
    at: string,
    record: (countedIn: CountedIn) => Promise<Delivery | null>,
  ): Promise<Delivery | null>;
  /** Resolves when everything counted so far has been written, or could not be: then it is tried again. */
  settled(): Promise<void>;
  /** Writes what is left, after the last outcome. Returns whether nothing remains that only the rows tell. */
  close(): Promise<boolean>;
}

/** Outcomes that are counted together. */
interface Round {
  readonly number: number;
  /** By subscription; what is written is taken out. */
  readonly uncounted: Map<string, Addition>;
  /** How many outcomes of this round are being recorded. */
  recording: number;
  /** Told when none is. */
  onRecorded: () => void;
}

const newRound = (number: number): Round => ({
  number,
  uncounted: new Map(),
  recording: 0,
  onRecorded: () => undefined,
});

/** From one write to the next at least, and after one that failed; real time. */
const PAUSE_MILLISECONDS = 250;
const AGAIN_MILLISECONDS = 1000;
/** For so long a write waits for the outcomes of its round that are being recorded. */
const RECORDED_WITHIN_MILLISECONDS = 2000;

export interface DeliveryCounterOptions {
  readonly stateStore: DocumentStore;
  /** Names this start of this process. */
  readonly run: string;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * Counters by increments, so that several workers may count at once. The first is written at once; what comes soon
 * after is added up in a round and goes out together: a busy receiver costs a few writes a second, not one a delivery.
 * Rounds are written in their order, and each once all its outcomes are recorded, so that counters tell by one number
 * which outcomes of a run it holds.
 */
export const createDeliveryCounter = (options: DeliveryCounterOptions): DeliveryCounter =>
  new CountersInRounds(options);

class CountersInRounds implements DeliveryCounter {
  readonly #options: DeliveryCounterOptions;
  /** To be written, in this order. */
  readonly #closed: Round[] = [];
  #round = newRound(1);
  #writing: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;
  #nextAt = 0;

  constructor(options: DeliveryCounterOptions) {
    this.#options = options;
  }

  count(delivery: Delivery, result: CountedResult, at: string): void {
    this.#add(this.#round, delivery, result, at);
  }

  async recordAndCount(
    result: CountedResult,
    at: string,
    record: (countedIn: CountedIn) => Promise<Delivery | null>,
  ): Promise<Delivery | null> {
    const round = this.#round;
    round.recording++;
    try {
      const recorded = await record({ run: this.#options.run, round: round.number });
      if (recorded) this.#add(round, recorded, result, at);
      return recorded;
    } finally {
      if (--round.recording === 0) round.onRecorded();
    }
  }

  async settled(): Promise<void> {
    await this.#write();
  }

  async close(): Promise<boolean> {
    await this.#write();
    if (this.#timer) clearTimeout(this.#timer);
    return this.#closed.length === 0;
  }

  #add({ uncounted }: Round, delivery: Delivery, result: CountedResult, at: string): void {
    const { subscriptionId } = delivery;
    const before = uncounted.get(subscriptionId) ?? noAddition;
    uncounted.set(subscriptionId, withOutcome(before, delivery, result, at));
    this.#schedule();
  }

  #schedule(): void {
    const pauseMs = Math.max(0, this.#nextAt - performance.now());
    this.#timer ??= setTimeout(() => void this.#write(), pauseMs).unref();
  }

  /** One after another: what was counted later is written later. */
  #write(): Promise<unknown> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#nextAt = performance.now() + PAUSE_MILLISECONDS;
    const { uncounted, recording, number } = this.#round;
    if (uncounted.size + recording > 0) {
      this.#closed.push(this.#round);
      this.#round = newRound(number + 1);
    }
    return (this.#writing = this.#writing.then(() => this.#writeClosed()));
  }

  async #writeClosed(): Promise<void> {
    for (let round = this.#closed[0]; round; round = this.#closed[0]) {
      if (!((await isRecorded(round)) && (await this.#isWritten(round)))) {
        this.#nextAt = performance.now() + AGAIN_MILLISECONDS;
        return this.#schedule();
      }
      this.#closed.shift();
    }
  }

  async #isWritten({ number, uncounted }: Round): Promise<boolean> {
    const { stateStore, run, log } = this.#options;
    const write = async (subscriptionId: string, addition: Addition): Promise<void> => {
      await addToCounters(stateStore, subscriptionId, { run, round: number }, addition);
      uncounted.delete(subscriptionId);
    };
    try {
      await Promise.all([...uncounted].map(([subscriptionId, addition]) => write(subscriptionId, addition)));
      return true;
    } catch (error) {
      log.warn({ err: error }, 'deliveries are not counted yet, trying again');
      return false;
    }
  }
}

/** False when some of its outcomes are still not recorded after a while. */
const isRecorded = async (round: Round): Promise<boolean> => {
  if (round.recording === 0) return true;
  const recorded = new Promise<void>((resolve) => (round.onRecorded = resolve));
  await within(RECORDED_WITHIN_MILLISECONDS, recorded);
  return round.recording === 0;
};
