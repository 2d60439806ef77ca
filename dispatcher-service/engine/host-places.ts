import type { Lane } from './lane.ts';

/** What is under way to one host, and the lanes that found it full, in the order of their turns. */
interface Host {
  inFlight: number;
  readonly waiting: Set<Lane>;
}

/** Bounds the attempts under way to one host, however many receivers it has; null is a host without a bound. */
export class HostPlaces {
  readonly #most: number;
  /** Only those that something is under way to, or waits for. */
  readonly #hosts = new Map<string, Host>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Takes a place. False: there is none, and the lane waits until `next` answers it. */
  enter(name: string | null, lane: Lane): boolean {
    if (name === null) return true;
    const host = this.#hosts.get(name) ?? { inFlight: 0, waiting: new Set() };
    this.#hosts.set(name, host);
    if (host.inFlight >= this.#most) {
      host.waiting.add(lane);
      return false;
    }
    host.waiting.delete(lane);
    host.inFlight++;
    return true;
  }

  /** Gives a place back that `enter` took. */
  leave(name: string | null): void {
    const host = name === null ? undefined : this.#hosts.get(name);
    if (host) host.inFlight--;
  }

  /** The lane whose turn it is when there is a place. It waits no longer: who does not use the place asks again. */
  next(name: string | null): Lane | null {
    const host = name === null ? undefined : this.#hosts.get(name);
    if (name === null || !host || host.inFlight >= this.#most) return null;
    const [lane] = host.waiting;
    if (lane) host.waiting.delete(lane);
    else if (host.inFlight === 0) this.#hosts.delete(name);
    return lane ?? null;
  }
}
