import { pause } from '#runtime/back-off.ts';
import { MOST_CONCURRENT } from '#values/webhook-concurrency.ts';
import type { Claimed, DeliveryQueues, DeliveryQueuesOptions, QueueFigures } from './delivery-queues.ts';
import { HostLimits } from './host-limits.ts';
import {
  arrive,
  depart,
  dropWaiting,
  hasWork,
  isIdle,
  newReceiverQueue,
  takeNext,
  waitingIn,
  type Attempted,
  type ReceiverQueue,
  type Waiting,
} from './receiver-queue.ts';

const QUIET_LOOK_MILLISECONDS = 5;
const CAPACITY = 256;
const IN_FLIGHT = 512;
/** The share of places kept for receivers with nothing under way: an eighth. */
const KEPT_FREE = 1 / 8;
/** The share of places that a host begins with, whatever number of receivers it has. */
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
  readonly #hosts: HostLimits;
  readonly #queues = new Map<string, ReceiverQueue>();
  /** Queues that have something to send, in the order of their turns. */
  readonly #ready = new Set<ReceiverQueue>();
  readonly #underWay = new Set<Promise<void>>();
  #inFlight = 0;
  #failing = 0;
  #failedClaims = 0;
  /** Claims under way, apart from those of replayed deliveries. */
  #claiming = 0;
  #isStopped = false;

  constructor(options: DeliveryQueuesOptions) {
    this.#options = options;
    this.#capacity = options.capacity ?? CAPACITY;
    this.#places = options.inFlightAtMost ?? IN_FLIGHT;
    this.#keptFree = Math.floor(this.#places * KEPT_FREE);
    this.#hosts = new HostLimits(Math.max(1, Math.floor(this.#places * ONE_HOST)), this.#places);
  }

  offer(key: string, deliveryId: string): void {
    const queue = this.#queue(key);
    if (queue.known.has(deliveryId)) queue.offeredAgain.add(deliveryId);
    if (queue.known.has(deliveryId) || this.#isStopped) return;
    if (queue.isBehind || queue.fresh.length >= this.#capacity) {
      queue.isBehind = true;
      queue.hasMissed = true;
      this.#fetchIfLow(queue);
      return;
    }
    this.#enqueue(queue, queue.fresh, { id: deliveryId, done: () => undefined });
  }

  retry(key: string, deliveryId: string): Promise<Attempted> | null {
    const queue = this.#queue(key);
    const isFull = queue.again.length >= this.#capacity;
    if (isFull || queue.known.has(deliveryId) || this.#isStopped) return null;
    return new Promise((done) => this.#enqueue(queue, queue.again, { id: deliveryId, done }));
  }

  catchUp(key: string): void {
    const queue = this.#queue(key);
    queue.isBehind = true;
    queue.hasReplayed = true;
    queue.isStalled = false;
    this.#fetchIfLow(queue);
    this.#ready.add(queue);
    this.#pump();
  }

  takeReplayed(key: string): void {
    const queue = this.#queue(key);
    queue.hasReplayed = true;
    this.#fetchIfLow(queue);
  }

  catchUpStalled(): void {
    for (const { key, isStalled, isAway } of this.#queues.values())
      if (isStalled && !isAway) this.catchUp(key);
  }

  release(key: string): void {
    const queue = this.#queues.get(key);
    if (!queue) return;
    depart(queue);
    this.#forgetIfGone(queue);
  }

  figures(): QueueFigures {
    let waiting = 0;
    for (const queue of this.#queues.values()) waiting += waitingIn(queue);
    return {
      receivers: this.#queues.size,
      waiting,
      inFlight: this.#inFlight,
      failedClaims: this.#failedClaims,
    };
  }

  isClaiming(): boolean {
    return this.#claiming > 0;
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
    for (const queue of this.#queues.values()) dropWaiting(queue);
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #queue(key: string): ReceiverQueue {
    const queue = this.#queues.get(key) ?? newReceiverQueue(key, this.#options.isShared ?? false);
    this.#queues.set(key, queue);
    if (queue.isAway) arrive(queue);
    return queue;
  }

  #enqueue(queue: ReceiverQueue, list: Waiting[], waiting: Waiting): void {
    queue.known.add(waiting.id);
    list.push(waiting);
    this.#ready.add(queue);
    this.#pump();
  }

  /** One attempt of each queue in turn, as long as there are places. */
  #pump(): void {
    for (const queue of this.#ready) {
      const free = this.#places - this.#inFlight;
      if (free <= 0 || this.#isStopped) return;
      // It keeps its turn.
      if (queue.inFlight > 0 && free <= this.#keptFree) continue;
      this.#ready.delete(queue);
      if (!hasWork(queue) || !this.#hasPlace(queue)) {
        this.#wakeNext(queue.host);
        continue;
      }
      queue.host = this.#options.hostOf?.(queue.key) ?? null;
      if (!this.#hosts.enter(queue.host, queue)) continue;
      const isReplayed = queue.fresh.length + queue.again.length === 0;
      const waiting = takeNext(queue);
      if (waiting) this.#begin(queue, { ...waiting, isReplayed }, queue.host);
      // At the end of the set: its next turn comes after all others', within this loop.
      if (hasWork(queue)) this.#ready.add(queue);
    }
  }

  #hasPlace(queue: ReceiverQueue): boolean {
    const most = this.#options.atOnceTo?.(queue.key) ?? MOST_CONCURRENT;
    if (queue.inFlight >= Math.min(queue.atOnce, most)) return false;
    return !queue.isFailing || this.#failing < this.#places / 2;
  }

  /** A place at the host is free, or was not used. */
  #wakeNext(host: string | null): void {
    for (const queue of this.#hosts.next(host)) this.#ready.add(queue);
  }

  #begin(
    queue: ReceiverQueue,
    waiting: Waiting & { readonly isReplayed: boolean },
    host: string | null,
  ): void {
    const wasFailing = queue.isFailing;
    queue.inFlight++;
    this.#inFlight++;
    if (wasFailing) this.#failing++;
    const attempt = this.#attempt(queue, waiting).then((result) => {
      queue.inFlight--;
      this.#inFlight--;
      if (wasFailing) this.#failing--;
      this.#hosts.leave(host, result);
      queue.known.delete(waiting.id);
      if (queue.offeredAgain.delete(waiting.id) && result === 'lost') this.offer(queue.key, waiting.id);
      waiting.done(result);
      this.#underWay.delete(attempt);
      this.#wakeNext(host);
      this.#onFreePlace(queue, wasFailing);
    });
    this.#underWay.add(attempt);
  }

  #onFreePlace(queue: ReceiverQueue, wasFailing: boolean): void {
    if (hasWork(queue)) this.#ready.add(queue);
    this.#fetchIfLow(queue);
    if (wasFailing) {
      for (const other of this.#queues.values())
        if (other.isFailing && hasWork(other)) this.#ready.add(other);
    }
    this.#forgetIfGone(queue);
    this.#pump();
  }

  #forgetIfGone(queue: ReceiverQueue): void {
    if (!isIdle(queue) || !this.#options.isGone?.(queue.key)) return;
    this.#ready.delete(queue);
    if (this.#queues.get(queue.key) === queue) this.#queues.delete(queue.key);
  }

  async #attempt(
    queue: ReceiverQueue,
    { id, isReplayed }: { readonly id: string; readonly isReplayed: boolean },
  ): Promise<Attempted> {
    const before = queue.begun;
    const claiming = this.#claim(id, isReplayed ? 0 : 1);
    queue.begun = claiming.then(
      () => before,
      () => before,
    );
    try {
      const claimed = await claiming;
      await before;
      if (!claimed) return 'lost';
      const result = await claimed.send();
      queue.isStalled = false;
      queue.isFailing = result === 'failed';
      queue.atOnce = queue.isFailing ? 1 : Math.min(queue.atOnce * 2, MOST_CONCURRENT);
      return result;
    } catch (error) {
      this.#stall(queue, error);
      return 'lost';
    }
  }

  async #claim(deliveryId: string, counted: 0 | 1): Promise<Claimed | null> {
    let claimed: Claimed | null = null;
    this.#claiming += counted;
    try {
      claimed = await this.#options.claim(deliveryId);
      return claimed;
    } finally {
      this.#claiming -= counted;
      if (!claimed) this.#failedClaims++;
    }
  }

  #fetchIfLow(queue: ReceiverQueue): void {
    if (queue.isAway || queue.isStalled || this.#isStopped) return;
    const isLow = (list: readonly Waiting[]): boolean => list.length <= this.#capacity / 4;
    if (queue.isBehind && !queue.isFetching && isLow(queue.fresh)) {
      queue.isFetching = true;
      this.#watch(queue, this.#fetch(queue), () => {
        queue.isFetching = false;
        if (queue.hasMissed) this.#fetchIfLow(queue);
      });
    }
    if (queue.hasReplayed && !queue.isFetchingReplayed && isLow(queue.replayed)) {
      queue.isFetchingReplayed = true;
      this.#watch(queue, this.#fetchReplayed(queue), () => (queue.isFetchingReplayed = false));
    }
  }

  #watch(queue: ReceiverQueue, work: Promise<void>, onEnd: () => void): void {
    const { departures } = queue;
    const watched = work.finally(() => {
      onEnd();
      this.#underWay.delete(watched);
      if (queue.departures !== departures) this.#fetchIfLow(queue);
      this.#forgetIfGone(queue);
    });
    this.#underWay.add(watched);
  }

  /** From the rows, until there are no more than are here: from then on the bus brings what is new. */
  async #fetch(queue: ReceiverQueue): Promise<void> {
    const limit = Math.max(1, this.#capacity / 2);
    const { departures } = queue;
    queue.hasMissed = false;
    try {
      const ids = await this.#options.untried(queue.key, limit);
      if (queue.departures !== departures) return;
      queue.isBehind = ids.length === limit || queue.hasMissed;
      this.#enqueueAll(queue, queue.fresh, ids);
    } catch (error) {
      this.#stall(queue, error);
    }
  }

  async #fetchReplayed(queue: ReceiverQueue): Promise<void> {
    const limit = Math.max(1, this.#capacity / 2);
    const { departures } = queue;
    queue.hasReplayed = false;
    try {
      const ids = (await this.#options.replayed?.(queue.key, limit)) ?? [];
      if (queue.departures !== departures) return;
      queue.hasReplayed ||= ids.length > 0;
      this.#enqueueAll(queue, queue.replayed, ids);
    } catch (error) {
      queue.hasReplayed = true;
      this.#stall(queue, error);
    }
  }

  #enqueueAll(queue: ReceiverQueue, list: Waiting[], ids: readonly string[]): void {
    for (const id of ids) if (!queue.known.has(id)) this.#enqueue(queue, list, { id, done: () => undefined });
  }

  #stall(queue: ReceiverQueue, error: unknown): void {
    queue.isBehind = true;
    queue.isStalled = true;
    this.#options.onError(queue.key, error);
  }
}
