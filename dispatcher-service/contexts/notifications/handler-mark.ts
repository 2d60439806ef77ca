import type { Logger } from 'pino';
import type { MarkedLog, ResumeWish } from '#dispatcher/engine/resume-from-mark.ts';
import type { Document } from '#kernel/projection.ts';
import { confirmMark } from '#log/confirm-mark.ts';
import type { Feed } from '#log/feed.ts';
import { PositionMark } from '#log/wait-for-position.ts';
import type { DocumentStore, Write } from '#ports/document-store.ts';
import { START, startMark, type LogMark } from '#ports/event-store.ts';

export type MarkStore = Pick<DocumentStore, 'declare' | 'get' | 'write'>;

interface Mark extends Document {
  readonly position: number;
  /** Which event is there; absent at START, and where an older release wrote it. */
  readonly eventId?: string;
}

export const NAME = 'hook-handlers';
const COLLECTION = 'hookHandlers';
const SAVE_AFTER_MILLISECONDS = 500;

const storedMark = async (stateStore: Pick<MarkStore, 'get'>): Promise<LogMark | null> => {
  const stored = await stateStore.get<Mark>(COLLECTION, NAME);
  return stored && { position: stored.position, eventId: stored.eventId ?? null };
};

const writeOf = ({ position, eventId }: LogMark): Write => {
  const put: Mark = { _id: NAME, position, ...(eventId !== null && { eventId }) };
  return { collection: COLLECTION, put };
};

/** How far the handlers have come: kept after each of their events, and now and then in between. */
export class HandlerMark {
  #mark = new PositionMark(START);
  readonly #stateStore: MarkStore;
  readonly #log: Pick<Logger, 'warn'>;
  #kept = START;
  #reached: LogMark = startMark;
  #saving: NodeJS.Timeout | null = null;

  constructor(stateStore: MarkStore, log: Pick<Logger, 'warn'>) {
    this.#stateStore = stateStore;
    this.#log = log;
  }

  /** How far they have come, in any process, and whom to wait with. */
  get mark(): PositionMark {
    return this.#mark;
  }

  /** Up to where everything has been told here. */
  get reached(): number {
    return this.#reached.position;
  }

  /** Up to where that has been kept. */
  get kept(): number {
    return this.#kept;
  }

  declare(): Promise<void> {
    return this.#stateStore.declare(COLLECTION);
  }

  /** Sees how far another process has come. */
  async look(): Promise<void> {
    this.#mark.advance((await storedMark(this.#stateStore))?.position ?? START);
  }

  /**
   * Resumes where the handlers were, and returns null; the mark that the log does not hold, where it was restored.
   * With the first handlers of a shop they begin at the head of the log.
   */
  async restore(feed: Pick<Feed, 'head' | 'confirm'>): Promise<LogMark | null> {
    const position = await feed.head();
    const stored = (await storedMark(this.#stateStore)) ?? { position, eventId: null };
    const at = await feed.confirm(stored);
    if (!at) return stored;
    // After a restore it may be further back than what another process had reached.
    if (at.position < this.#mark.position) this.#mark = new PositionMark(START);
    this.#reached = at;
    this.#kept = START;
    this.advance(at);
    await this.save();
    return null;
  }

  advance(reached: LogMark): void {
    if (reached.position > this.#reached.position) this.#reached = reached;
    this.#mark.advance(reached.position);
    this.#saving ??= setTimeout(() => {
      this.save().catch((error: unknown) =>
        this.#log.warn({ err: error }, 'the position of the handlers was not kept'),
      );
    }, SAVE_AFTER_MILLISECONDS).unref();
  }

  async save(): Promise<void> {
    if (this.#saving) clearTimeout(this.#saving);
    this.#saving = null;
    const reached = this.#reached;
    if (reached.position === this.#kept) return;
    await this.#stateStore.write([writeOf(reached)]);
    this.#kept = reached.position;
  }
}

/** Has the handlers go on after an event, when the log was restored. False where it holds what they had reached. */
export const resumeHandlers = async (
  { stateStore, store }: { readonly stateStore: MarkStore; readonly store: MarkedLog },
  { from }: ResumeWish,
): Promise<boolean> => {
  await stateStore.declare(COLLECTION);
  const stored = await storedMark(stateStore);
  if (!stored || (await confirmMark(store, stored))) return false;
  await stateStore.write([writeOf(from)]);
  return true;
};
