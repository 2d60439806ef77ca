import type { Logger } from 'pino';
import { pause } from '#runtime/back-off.ts';
import { workWheneverHeld, type Leases } from '#runtime/leases.ts';
import type { CommandMeta } from './command-engine.ts';
import type { OpenInstance, OpenInstances } from './open-instances.ts';

/** Drives the instances of a process. */
export interface ProcessDriver {
  /** Sends the steps of an instance again from the first one; harmless, since each is idempotent. */
  resume(id: string, meta: CommandMeta): Promise<unknown>;
  /** Waits for everything that is under way. */
  drain(): Promise<void>;
  /** Whether what `resume` threw is no failure: it goes on once something outside has ended. Default: no. */
  isWaiting?(error: unknown): boolean;
}

export interface ProcessRunnerOptions {
  readonly open: OpenInstances;
  readonly leases: Leases;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** By the name of the process. */
  readonly drivers: Readonly<Record<string, ProcessDriver>>;
  /** Resolves once reference state has reached the head as it was at the start. */
  readonly whenReady: (signal: AbortSignal) => Promise<void>;
  /** No other process drives instances: what is open at the start was left behind. */
  readonly isOnlyWriter: boolean;
  /** How long an instance may stand still; 10 s of real time. */
  readonly idleMilliseconds?: number;
}

export interface ProcessRunner {
  start(): void;
  /** Instances that are open just now. */
  openCount(): number;
  /** True once none is open; false when that takes longer than `timeoutMs` of real time. */
  idle(timeoutMs: number): Promise<boolean>;
  /** Resumes nothing any more; waits for what is under way, begun here or elsewhere. */
  stop(): Promise<void>;
}

/** An instance that made no progress for so long is taken to be left behind by a crash. */
const IDLE_MILLISECONDS = 10_000;
const TICK_MILLISECONDS = 1000;
const IDLE_LOOK_MILLISECONDS = 20;
const LEASE_MILLISECONDS = 5000;
/** Resumed side by side at most. */
const AT_ONCE = 20;

/** It goes on with what a request began: its events stand beside those of that request. */
const metaOf = ({ process, id, revision, openedBy }: OpenInstance): CommandMeta => ({
  correlationId: openedBy?.correlationId ?? id,
  causationId: openedBy?.eventId ?? `${process} ${id} ${revision}`,
  actor: { kind: 'system', id: 'process-runner' },
});

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const keyOf = ({ process, id, revision }: OpenInstance): string => `${process} ${id} ${revision}`;

/** `waiting`: the keys of those of which it is said that they wait. */
const resumeOne = async (
  { drivers, log }: ProcessRunnerOptions,
  instance: OpenInstance,
  waiting: Set<string>,
): Promise<void> => {
  const { process, id } = instance;
  const driver = drivers[process];
  try {
    if (!driver) throw new TypeError(`nobody drives ${process}`);
    await driver.resume(id, metaOf(instance));
    log.info({ process, id }, 'resumed a process that was left open');
  } catch (error) {
    if (driver?.isWaiting?.(error) !== true) {
      log.warn({ process, id, err: error }, 'a process could not be resumed yet');
      return;
    }
    const key = keyOf(instance);
    if (waiting.has(key)) return;
    waiting.add(key);
    log.info({ process, id, reason: messageOf(error) }, 'a process waits, and goes on by itself');
  }
};

/** Resumes what has stood still, until the signal aborts; what is under way then is waited for. */
const resumeWhatStandsStill = async (options: ProcessRunnerOptions, signal: AbortSignal): Promise<void> => {
  const { open, isOnlyWriter, idleMilliseconds = IDLE_MILLISECONDS } = options;
  await options.whenReady(signal);
  /** When an instance at this revision was first seen, or last resumed; -Infinity: left behind before the start. */
  const since = isOnlyWriter ? -Infinity : performance.now();
  let seen = new Map(open.list().map((instance) => [keyOf(instance), since]));
  /** One that waits for a slow provider does not hold up the others. */
  const underWay = new Map<string, Promise<void>>();
  const waiting = new Set<string>();
  while (!signal.aborted) {
    const now = performance.now();
    const instances = open.list();
    seen = new Map(instances.map((instance) => [keyOf(instance), seen.get(keyOf(instance)) ?? now]));
    for (const key of waiting) if (!seen.has(key)) waiting.delete(key);
    const due = instances
      .filter((instance) => !underWay.has(keyOf(instance)))
      .filter((instance) => now - (seen.get(keyOf(instance)) ?? now) >= idleMilliseconds)
      .slice(0, AT_ONCE - underWay.size);
    for (const instance of due) {
      const key = keyOf(instance);
      const ended = resumeOne(options, instance, waiting).finally(() => {
        underWay.delete(key);
        if (seen.has(key)) seen.set(key, performance.now());
      });
      underWay.set(key, ended);
    }
    const tick = pause(Math.min(idleMilliseconds, TICK_MILLISECONDS), signal);
    await (underWay.size === AT_ONCE ? Promise.race([tick, ...underWay.values()]) : tick);
  }
  await Promise.all(underWay.values());
};

/**
 * Finishes what a crash left open: instances without progress for ten seconds of real time, and at once those it
 * finds at the start where no other process could be driving them. One replica at a time.
 */
export const createProcessRunner = (options: ProcessRunnerOptions): ProcessRunner => {
  const { open, drivers, leases, log } = options;
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();
  return {
    start: () => {
      running = workWheneverHeld({
        leases,
        name: 'process-runner',
        ownerId: 'process-runner',
        ttlMs: LEASE_MILLISECONDS,
        log,
        signal: stopping.signal,
        work: (signal) => resumeWhatStandsStill(options, signal),
      });
    },
    openCount: () => open.list().length,
    idle: async (timeoutMs) => {
      const deadline = performance.now() + timeoutMs;
      while (open.list().length > 0 && performance.now() < deadline) await pause(IDLE_LOOK_MILLISECONDS);
      return open.list().length === 0;
    },
    stop: async () => {
      stopping.abort();
      await running;
      await Promise.all(Object.values(drivers).map((driver) => driver.drain()));
    },
  };
};
