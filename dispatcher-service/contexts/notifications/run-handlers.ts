import type { Logger } from 'pino';
import type { Recorded } from '#kernel/event.ts';
import type { Document } from '#kernel/projection.ts';
import type { Feed } from '#log/feed.ts';
import { PositionMark, waitForPosition } from '#log/wait-for-position.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { START } from '#ports/event-store.ts';
import { pause } from '#runtime/back-off.ts';
import { frozenNotice, type HookHandler } from '#runtime/hooks-file.ts';
import { workWheneverHeld, type Leases } from '#runtime/leases.ts';
import { mayTell, notificationsTold, tellingEventTypes, toldBeside } from '#topics/told-notifications.ts';
import { idOf } from '#values/stream-name.ts';

export interface HandlerDeps {
  readonly handlers: readonly HookHandler[];
  readonly feed: Feed;
  readonly stateStore: Pick<DocumentStore, 'declare' | 'get' | 'write'>;
  readonly leases: Leases;
  readonly log: Pick<Logger, 'warn' | 'error'>;
}

/** The owner's handlers at work. */
export interface RunningHandlers {
  /** False after `timeoutMs` of real time; a position beyond the head counts as reached. */
  waitFor(position: number, timeoutMs: number): Promise<boolean>;
  /** Does not wait for the handler in hand: what it is not done with is told again after the next start. */
  stop(): Promise<void>;
}

interface Mark extends Document {
  readonly position: number;
}

const NAME = 'hook-handlers';
const COLLECTION = 'hookHandlers';
const LEASE_MILLISECONDS = 5000;
/** A handler that takes longer is not waited for. */
const PATIENCE_MILLISECONDS = 30_000;

const SAVE_AFTER_MILLISECONDS = 500;

/**
 * Runs one, and waits for it; what it throws is logged and holds nothing up. False when the signal came before it was
 * done.
 */
const run = async (
  { name, notification, after }: HookHandler,
  event: Recorded,
  log: HandlerDeps['log'],
  signal: AbortSignal,
): Promise<boolean> => {
  const { position, recordedAt, stream, type } = event;
  const about = { handler: name, notification, position };
  const waiting = new AbortController();
  const failed = (error: unknown): void => log.error({ ...about, err: error }, 'a handler failed');
  try {
    const data = event.data as object;
    const beside = toldBeside(notification, event);
    const notice = { ...data, ...beside, id: idOf(stream), event: type, position, at: recordedAt };
    const done = Promise.resolve(after(frozenNotice(notification, notice))).then(() => 'done');
    const patience = pause(PATIENCE_MILLISECONDS, AbortSignal.any([signal, waiting.signal]));
    if ((await Promise.race([done, patience])) === 'done') return true;
    done.catch(failed);
    if (signal.aborted) return false;
    log.warn(about, 'a handler takes too long: it is not waited for');
  } catch (error) {
    failed(error);
  } finally {
    waiting.abort();
  }
  return true;
};

/** How far the handlers have come: kept after each event of theirs, and now and then where there is none. */
class KeptMark {
  readonly mark = new PositionMark(START);
  readonly #stateStore: HandlerDeps['stateStore'];
  readonly #log: HandlerDeps['log'];
  #kept = START;
  #saving: NodeJS.Timeout | null = null;

  constructor({ stateStore, log }: HandlerDeps) {
    this.#stateStore = stateStore;
    this.#log = log;
  }

  /** Up to where everything has been told and kept. */
  get position(): number {
    return this.#kept;
  }

  /** What any process has kept; null where there never were handlers. */
  async stored(): Promise<number | null> {
    return (await this.#stateStore.get<Mark>(COLLECTION, NAME))?.position ?? null;
  }

  advance(position: number): void {
    this.mark.advance(position);
    this.#saving ??= setTimeout(() => {
      this.save().catch((error: unknown) =>
        this.#log.warn({ err: error }, 'the position of the handlers was not kept'),
      );
    }, SAVE_AFTER_MILLISECONDS).unref();
  }

  async save(): Promise<void> {
    if (this.#saving) clearTimeout(this.#saving);
    this.#saving = null;
    const { position } = this.mark;
    if (position === this.#kept) return;
    const put: Mark = { _id: NAME, position };
    await this.#stateStore.write([{ collection: COLLECTION, put }]);
    this.#kept = position;
  }
}

/** From where to go on: from the head where there never were handlers, and where the log was restored to before. */
const beginning = async (kept: KeptMark, feed: Feed): Promise<number> => {
  const known = await kept.stored();
  const head = await feed.head();
  return known === null ? head : Math.min(known, head);
};

/**
 * Follows the log under a lease and runs the owner's handlers, one after another in their order, each at least once for
 * an event: the position is kept after them, so that a crash runs some again (docs/hooks.md#after). With the first
 * handlers of a shop it begins at the head of the log: they are not told the past.
 */
export const runHandlers = async (deps: HandlerDeps): Promise<RunningHandlers> => {
  const { handlers, feed, stateStore, leases, log } = deps;
  const kept = new KeptMark(deps);
  const stopping = new AbortController();
  await stateStore.declare(COLLECTION);
  const eventTypes = new Set(
    tellingEventTypes.filter((type) => handlers.some(({ notification }) => mayTell(type, notification))),
  );
  /** False when the signal came first: the event is told again. */
  const tell = async (event: Recorded, signal: AbortSignal): Promise<boolean> => {
    const told = notificationsTold(event);
    const asked = handlers.filter(({ notification }) => told.includes(notification));
    for (const handler of asked) if (!(await run(handler, event, log, signal))) return false;
    kept.advance(event.position);
    if (asked.length > 0) await kept.save();
    return true;
  };
  const work = async (signal: AbortSignal): Promise<void> => {
    const after = await beginning(kept, feed);
    kept.advance(after);
    await kept.save();
    const handle = async (events: readonly Recorded[], upTo: number): Promise<void> => {
      for (const event of events) {
        if (signal.aborted) return;
        // A batch that comes again after a failure has been told in part.
        if (event.position <= kept.position) continue;
        if (!(await tell(event, signal))) return;
      }
      kept.advance(upTo);
    };
    const following = feed.follow({ name: NAME, after, eventTypes, handle });
    // It may have come while the position was read.
    if (!signal.aborted)
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await following.leave();
    await kept.save();
  };
  const working = workWheneverHeld({
    leases,
    name: NAME,
    ownerId: NAME,
    ttlMs: LEASE_MILLISECONDS,
    log,
    signal: stopping.signal,
    work,
    whileWaiting: async () => kept.mark.advance((await kept.stored()) ?? START),
  });
  return {
    waitFor: (position, timeoutMs) => waitForPosition(kept.mark, feed, position, timeoutMs),
    stop: async () => {
      stopping.abort();
      await working;
    },
  };
};
