import { pause } from '#runtime/back-off.ts';
import { HostPlaces } from './host-places.ts';
import {
  hasWork,
  newReceiverQueue,
  takeNext,
  type Attempted,
  type ReceiverQueue,
  type Waiting,
} from './receiver-queue.ts';

/** A delivery that has been claimed for one attempt; `send` makes it. */
export interface Claimed {
  send(): Promise<'succeeded' | 'failed'>;
}

export interface DeliveryQueuesOptions {
  /** Takes the delivery for one attempt; null when there is nothing to do. Errors: `EngineUnavailable`. */
  readonly claim: (deliveryId: string) => Promise<Claimed | null>;
  /** Ids of a receiver's deliveries that have not been tried yet, in order. Errors: `EngineUnavailable`. */
  readonly untried: (key: string, limit: number) => Promise<readonly string[]>;
  readonly onError: (key: string, error: unknown) => void;
  /** Ids that wait in memory for one receiver at most; the rest waits in its rows. Default 256. */
  readonly capacity?: number;
  /** The host that a receiver is at; null when it is not known. Default: each has one of its own. */
  readonly hostOf?: (key: string) => string | null;
  /** Attempts under way in all. Default 512. */
  readonly inFlightAtMost?: number;
}

/** What waits in memory and what is under way. */
export interface QueueFigures {
  readonly receivers: number;
  readonly waiting: number;
  readonly inFlight: number;
  /** Claims since the start that somebody else had made before, or that could not be made. */
  readonly failedClaims: number;
}

/** Deliveries of this process on their way, a queue for each receiver (a subscription). */
export interface DeliveryQueues {
  /** A new delivery. What does not fit is fetched by its row when there is room again, in order. */
  offer(key: string, deliveryId: string): void;
  /** One that is due again, beside the new ones. Null when there is no room or it is here already. */
  retry(key: string, deliveryId: string): Promise<Attempted> | null;
  /** Looks for rows that nobody has offered here: after a start, and when some were found left over. */
  catchUp(key: string): void;
  /** True once nothing waits in memory or is under way; false after `timeoutMs` of real time. */
  quiet(timeoutMs: number): Promise<boolean>;
  figures(): QueueFigures;
  /** Starts nothing more and waits for what is under way. */
  stop(): Promise<void>;
}

const QUIET_LOOK_MILLISECONDS = 5;
const CAPACITY = 256;
const IN_FLIGHT = 512;
/** Under way to one receiver at most. */
const MOST_AT_ONCE = 32;
/** Of the places so many are for receivers with nothing under way: an eighth. */
const KEPT_FREE = 1 / 8;
/** And so many a host begins with, whatever number of receivers it has. */
const ONE_HOST = 1 / 8;

/**
 * Bounded queues and bounded numbers of attempts under way. A receiver that fails has one attempt at a time, and those
 * that fail share half of the places at most. Those that were quick and have just fallen silent cannot take all the
 * others either, nor can a silent host with many receivers. So none stands in the way of the rest.
 */
export const createDeliveryQueues = (options: DeliveryQueuesOptions): DeliveryQueues =>
  new ReceiverQueues(options);

class ReceiverQueues implements DeliveryQueues {
  readonly #options: DeliveryQueuesOptions;
  readonly #capacity: number;
  readonly #places: number;
  /** Of these places, for receivers with nothing under way. */
  readonly #keptFree: number;
  readonly #hosts: HostPlaces;
  readonly #lanes = new Map<string, ReceiverQueue>();
  /** Lanes that have something to send, in the order of their turns. */
  readonly #ready = new Set<ReceiverQueue>();
  readonly #underWay = new Set<Promise<void>>();
  #inFlight = 0;
  #failing = 0;
  #failedClaims = 0;
  #isStopped = false;

  constructor(options: DeliveryQueuesOptions) {
    this.#options = options;
    this.#capacity = options.capacity ?? CAPACITY;
    this.#places = options.inFlightAtMost ?? IN_FLIGHT;
    this.#keptFree = Math.floor(this.#places * KEPT_FREE);
    this.#hosts = new HostPlaces(Math.max(1, Math.floor(this.#places * ONE_HOST)), this.#places);
  }

  offer(key: string, deliveryId: string): void {
    const lane = this.#lane(key);
    if (lane.known.has(deliveryId) || this.#isStopped) return;
    if (lane.isBehind || lane.fresh.length >= this.#capacity) {
      lane.isBehind = true;
      lane.hasMissed = true;
      this.#fetchIfLow(lane);
      return;
    }
    this.#enqueue(lane, lane.fresh, { id: deliveryId, done: () => undefined });
  }

  retry(key: string, deliveryId: string): Promise<Attempted> | null {
    const lane = this.#lane(key);
    const isFull = lane.again.length >= this.#capacity;
    if (isFull || lane.known.has(deliveryId) || this.#isStopped) return null;
    return new Promise((done) => this.#enqueue(lane, lane.again, { id: deliveryId, done }));
  }

  catchUp(key: string): void {
    const lane = this.#lane(key);
    lane.isBehind = true;
    lane.isStalled = false;
    this.#fetchIfLow(lane);
  }

  figures(): QueueFigures {
    let waiting = 0;
    for (const { fresh, again } of this.#lanes.values()) waiting += fresh.length + again.length;
    return {
      receivers: this.#lanes.size,
      waiting,
      inFlight: this.#inFlight,
      failedClaims: this.#failedClaims,
    };
  }

  async quiet(timeoutMs: number): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    while (this.#underWay.size > 0) {
      if (performance.now() >= deadline) return false;
      await pause(QUIET_LOOK_MILLISECONDS);
    }
    return true;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const lane of this.#lanes.values()) {
      for (const { done } of [...lane.fresh.splice(0), ...lane.again.splice(0)]) done('lost');
    }
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #lane(key: string): ReceiverQueue {
    const lane = this.#lanes.get(key) ?? newReceiverQueue(key);
    this.#lanes.set(key, lane);
    return lane;
  }

  #enqueue(lane: ReceiverQueue, list: Waiting[], waiting: Waiting): void {
    lane.known.add(waiting.id);
    list.push(waiting);
    this.#ready.add(lane);
    this.#pump();
  }

  /** One attempt of each lane in turn, as long as there are places. */
  #pump(): void {
    for (const lane of this.#ready) {
      const free = this.#places - this.#inFlight;
      if (free <= 0 || this.#isStopped) return;
      // It keeps its turn.
      if (lane.inFlight > 0 && free <= this.#keptFree) continue;
      this.#ready.delete(lane);
      if (!hasWork(lane) || !this.#hasPlace(lane)) {
        this.#wakeNext(lane.host);
        continue;
      }
      lane.host = this.#options.hostOf?.(lane.key) ?? null;
      if (!this.#hosts.enter(lane.host, lane)) continue;
      const waiting = takeNext(lane);
      if (waiting) this.#begin(lane, waiting, lane.host);
      // At the end of the set: its next turn comes after everybody else's, within this very loop.
      if (hasWork(lane)) this.#ready.add(lane);
    }
  }

  #hasPlace(lane: ReceiverQueue): boolean {
    if (lane.inFlight >= lane.atOnce) return false;
    return !lane.isFailing || this.#failing < this.#places / 2;
  }

  /** A place at the host is free, or was not used. */
  #wakeNext(host: string | null): void {
    for (const lane of this.#hosts.next(host)) this.#ready.add(lane);
  }

  #begin(lane: ReceiverQueue, waiting: Waiting, host: string | null): void {
    const wasFailing = lane.isFailing;
    lane.inFlight++;
    this.#inFlight++;
    if (wasFailing) this.#failing++;
    const attempt = this.#attempt(lane, waiting.id).then((result) => {
      lane.inFlight--;
      this.#inFlight--;
      if (wasFailing) this.#failing--;
      this.#hosts.leave(host, result);
      lane.known.delete(waiting.id);
      waiting.done(result);
      this.#underWay.delete(attempt);
      this.#wakeNext(host);
      this.#onFreePlace(lane, wasFailing);
    });
    this.#underWay.add(attempt);
  }

  #onFreePlace(lane: ReceiverQueue, wasFailing: boolean): void {
    if (hasWork(lane)) this.#ready.add(lane);
    this.#fetchIfLow(lane);
    if (wasFailing) {
      for (const other of this.#lanes.values()) if (other.isFailing && hasWork(other)) this.#ready.add(other);
    }
    this.#pump();
  }

  async #attempt(lane: ReceiverQueue, deliveryId: string): Promise<Attempted> {
    const before = lane.begun;
    const claiming = this.#claim(deliveryId);
    lane.begun = claiming.then(
      () => before,
      () => before,
    );
    try {
      const claimed = await claiming;
      await before;
      if (!claimed) return 'lost';
      const result = await claimed.send();
      lane.isStalled = false;
      lane.isFailing = result === 'failed';
      lane.atOnce = lane.isFailing ? 1 : Math.min(lane.atOnce * 2, MOST_AT_ONCE);
      return result;
    } catch (error) {
      this.#stall(lane, error);
      return 'lost';
    }
  }

  async #claim(deliveryId: string): Promise<Claimed | null> {
    let claimed: Claimed | null = null;
    try {
      claimed = await this.#options.claim(deliveryId);
      return claimed;
    } finally {
      if (!claimed) this.#failedClaims++;
    }
  }

  #fetchIfLow(lane: ReceiverQueue): void {
    const isLow = lane.fresh.length <= this.#capacity / 4;
    if (!isLow || !lane.isBehind || lane.isFetching || lane.isStalled || this.#isStopped) return;
    lane.isFetching = true;
    const fetching = this.#fetch(lane).finally(() => {
      lane.isFetching = false;
      this.#underWay.delete(fetching);
    });
    this.#underWay.add(fetching);
  }

  /** From the rows, until there are no more than are here: from then on the bus brings what is new. */
  async #fetch(lane: ReceiverQueue): Promise<void> {
    const limit = Math.max(1, this.#capacity / 2);
    lane.hasMissed = false;
    try {
      const ids = await this.#options.untried(lane.key, limit);
      lane.isBehind = ids.length === limit || lane.hasMissed;
      for (const id of ids) {
        if (!lane.known.has(id)) this.#enqueue(lane, lane.fresh, { id, done: () => undefined });
      }
    } catch (error) {
      this.#stall(lane, error);
    }
  }

  #stall(lane: ReceiverQueue, error: unknown): void {
    lane.isBehind = true;
    lane.isStalled = true;
    this.#options.onError(lane.key, error);
  }
}
