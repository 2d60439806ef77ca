import type { Attempted, ReceiverQueue } from './receiver-queue.ts';

/** Further places that a response earns a host. */
const EARNED = 8;

/** What is under way to one host, how much may be, and the queues that found it full, in the order of their turns. */
interface Host {
  inFlight: number;
  most: number;
  readonly waiting: Set<ReceiverQueue>;
}

/**
 * Bounds the attempts under way to one host, however many receivers it has: few to begin with, more with every answer,
 * half as many with every failure. Null is a host without a bound.
 */
export class HostLimits {
  readonly #few: number;
  readonly #all: number;
  /** Only those that something is under way to, or waits for. */
  readonly #hosts = new Map<string, Host>();

  /** `few`: what a host has that nothing is known of, and at least; `all`: at most. */
  constructor(few: number, all: number) {
    this.#few = few;
    this.#all = all;
  }

  /** Takes a place. False: there is none, and the queue waits until `next` answers it. */
  enter(name: string | null, queue: ReceiverQueue): boolean {
    if (name === null) return true;
    const host = this.#hosts.get(name) ?? { inFlight: 0, most: this.#few, waiting: new Set() };
    this.#hosts.set(name, host);
    if (host.inFlight >= host.most) {
      host.waiting.add(queue);
      return false;
    }
    host.waiting.delete(queue);
    host.inFlight++;
    return true;
  }

  /** Gives a place back that `enter` took. */
  leave(name: string | null, result: Attempted): void {
    const host = name === null ? undefined : this.#hosts.get(name);
    if (!host) return;
    host.inFlight--;
    if (result === 'succeeded') host.most = Math.min(this.#all, host.most + EARNED);
    if (result === 'failed') host.most = Math.max(this.#few, Math.floor(host.most / 2));
  }

  /**
   * The queues whose turn it is, as many as there are places. They wait no longer; for one that does not use its place
   * somebody asks again.
   */
  next(name: string | null): readonly ReceiverQueue[] {
    const host = name === null ? undefined : this.#hosts.get(name);
    if (name === null || !host) return [];
    const queues: ReceiverQueue[] = [];
    for (const queue of host.waiting) {
      if (queues.length >= host.most - host.inFlight) break;
      host.waiting.delete(queue);
      queues.push(queue);
    }
    if (host.inFlight === 0 && host.waiting.size === 0) this.#hosts.delete(name);
    return queues;
  }
}
