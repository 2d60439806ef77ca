import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { defined } from '#kernel/defined.ts';
import type { Document } from '#kernel/projection.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { DocumentStore, Patch } from '#ports/document-store.ts';
import { pause } from './back-off.ts';

/** The exclusive right to do something, for a while. */
export interface Lease {
  readonly name: string;
  /** Fencing token: grows with every change of owner, so that writes of a late owner can be told apart. */
  readonly attempt: number;
  /** Extends it by its time to live from now. False if another owner has it. */
  renew(): Promise<boolean>;
  /** Releases it at once. Harmless if it is lost already. */
  release(): Promise<void>;
}

export interface Leases {
  /**
   * Null while another owner holds it. Lives `ttlMs` of real time unless renewed. `ownerId` names the owner within
   * this process. Errors: `EngineUnavailable`.
   */
  acquire(name: string, ownerId: string, ttlMs: number, options?: LeaseOptions): Promise<Lease | null>;
  /** Aborts when the store of these leases is closed: nothing can be held from then on. Default: it never is. */
  readonly closing?: AbortSignal;
}

export interface LeaseOptions {
  /** For a name used once: nothing is kept of it once released. */
  readonly isPassing?: boolean;
}

export interface LeasesOptions {
  readonly stateStore: DocumentStore;
  /** New for every start of a process. */
  readonly instanceId: string;
  /** This process is the only writer of the state store: leases of an earlier one ended with it. */
  readonly isOnlyWriter: boolean;
  /** Real time in milliseconds; leases do not follow the shop's clock. */
  readonly now?: () => number;
  /** See `Leases.closing`. */
  readonly closing?: AbortSignal;
}

interface LeaseDocument extends Document {
  readonly instance: string;
  readonly owner: string;
  readonly attempt: number;
  readonly expiresAt: number;
}

const collection = 'leases';
/** The clocks of two machines differ by less than this. */
const CLOCKS_APART_MILLISECONDS = 60_000;
const DOUBT_EVERY_MILLISECONDS = 5000;
const DOUBTED_NAMES = 1000;

export const createLeases = ({
  stateStore,
  instanceId,
  isOnlyWriter,
  now = Date.now,
  closing,
}: LeasesOptions): Leases => {
  const doubted = new LRUCache<string, number>({ max: DOUBTED_NAMES });
  /**
   * An expiry further away than the time to live is invalid: its holder's clock was ahead, or ours has stepped back. It
   * would block the lease for as long as the step. Checked only now and then, as it is rare.
   */
  const takeFromFuture = async (name: string, ttlMs: number, patch: Patch): Promise<LeaseDocument | null> => {
    const looked = doubted.get(name);
    if (looked !== undefined && performance.now() - looked < DOUBT_EVERY_MILLISECONDS) return null;
    doubted.set(name, performance.now());
    const expiresAt = { gt: now() + ttlMs + CLOCKS_APART_MILLISECONDS };
    return stateStore.updateIf<LeaseDocument>(collection, { _id: name, expiresAt }, patch);
  };

  const takeOver = async (name: string, owner: string, ttlMs: number): Promise<LeaseDocument | null> => {
    const patch = {
      set: { instance: instanceId, owner, expiresAt: now() + ttlMs },
      increment: { attempt: 1 },
    };
    const lapsed = await stateStore.updateIf<LeaseDocument>(
      collection,
      { _id: name, expiresAt: { lte: now() } },
      patch,
    );
    if (lapsed) return lapsed;
    const doubtful = await takeFromFuture(name, ttlMs, patch);
    if (doubtful || !isOnlyWriter) return doubtful;
    return stateStore.updateIf<LeaseDocument>(collection, { _id: name, instance: { ne: instanceId } }, patch);
  };

  const acquire = async (
    name: string,
    owner: string,
    ttlMs: number,
    { isPassing = false }: LeaseOptions = {},
  ): Promise<Lease | null> => {
    const first = { _id: name, instance: instanceId, owner, attempt: 1, expiresAt: now() + ttlMs };
    const isFirst = await stateStore.insertIfAbsent(collection, first);
    const held = isFirst ? first : await takeOver(name, owner, ttlMs);
    if (!held) return null;
    const { attempt } = held;
    // If nothing is kept, attempts start over, but no instance id comes twice.
    const own = { _id: name, attempt, instance: instanceId };
    const renew = async (): Promise<boolean> => {
      const patch = { set: { expiresAt: now() + ttlMs } };
      return (await stateStore.updateIf(collection, own, patch)) !== null;
    };
    // Not `now` as the new expiry: if the clock steps back, that would be in the future.
    const giveBack = (): Promise<unknown> =>
      isPassing
        ? stateStore.deleteMany(collection, own, 1)
        : stateStore.updateIf(collection, own, { set: { expiresAt: 0 } });
    return {
      name,
      attempt,
      renew,
      release: async () => void (await giveBack()),
    };
  };

  return { acquire, ...defined({ closing }) };
};

/**
 * Milliseconds since now, by the clock that says more: real time may step back, and the monotonic one stops while a
 * machine sleeps.
 */
export const stopwatch = (): (() => number) => {
  const [wall, steady] = [Date.now(), performance.now()];
  return () => Math.max(Date.now() - wall, performance.now() - steady);
};

/**
 * Renews the lease while the work runs, then releases it. The signal aborts when the lease is lost; `isHeld` knows
 * earlier, right after a stall in which no timer ran.
 */
export const workUnder = async <Answer>(
  lease: Lease,
  ttlMs: number,
  work: (signal: AbortSignal, isHeld: () => boolean) => Promise<Answer>,
  stop?: AbortSignal,
): Promise<Answer> => {
  const lost = new AbortController();
  let sinceRenewed = stopwatch();
  const isHeld = (): boolean => !lost.signal.aborted && sinceRenewed() < ttlMs;
  const renew = async (): Promise<void> => {
    try {
      const sinceAsked = stopwatch();
      if (await lease.renew()) sinceRenewed = sinceAsked;
      else lost.abort();
    } catch {
      // The store is unavailable: the lease holds until it expires.
      if (!isHeld()) lost.abort();
    }
  };
  const timer = setInterval(() => void renew(), ttlMs / 3);
  try {
    return await work(stop ? AbortSignal.any([lost.signal, stop]) : lost.signal, isHeld);
  } finally {
    clearInterval(timer);
    await lease.release().catch(() => undefined);
  }
};

export interface StandingWork {
  readonly leases: Leases;
  readonly name: string;
  readonly ownerId: string;
  readonly ttlMs: number;
  readonly log: Pick<Logger, 'warn'>;
  readonly signal: AbortSignal;
  /** Must end soon after its signal aborts. */
  readonly work: (signal: AbortSignal) => Promise<void>;
  /** Called now and then while another owner holds the lease. */
  readonly whileWaiting?: () => Promise<void>;
}

/**
 * Waits for the lease, works under it, and waits again whenever it is lost, until the signal aborts or there can be no
 * lease any more.
 */
export const workWheneverHeld = async (standing: StandingWork): Promise<void> => {
  const { leases, name, ownerId, ttlMs, log, work, whileWaiting } = standing;
  const signal = leases.closing ? AbortSignal.any([standing.signal, leases.closing]) : standing.signal;
  while (!signal.aborted) {
    try {
      const lease = await leases.acquire(name, ownerId, ttlMs);
      if (lease) await workUnder(lease, ttlMs, work, signal);
      else await whileWaiting?.();
      if (!lease) await pause(250, signal);
    } catch (error) {
      if (signal.aborted) return;
      const reason = error instanceof EngineUnavailable ? 'engine away' : 'work under a lease failed';
      log.warn({ lease: name, err: error }, `${reason}, trying again`);
      await pause(1000, signal);
    }
  }
};
