import type { Logger } from 'pino';
import type { Document } from '#kernel/projection.ts';
import { newId } from '#kernel/ids.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { pause } from './back-off.ts';
import type { ShopClock } from './shop-clock.ts';

/**
 * Lets processes of a shop wait for each other, for the test endpoints: each publishes in the state store that it is
 * alive and which time it follows, and answers the others how far it is.
 */
export interface PeerRegistry {
  /** The other processes that have not passed the position in time; empty if all have. */
  lagging(position: number, timeoutMs: number): Promise<readonly string[]>;
  /** Resolves once every other process follows this process's time. */
  isTimeFollowed(): Promise<void>;
  /** Other processes stop waiting for this one. */
  stop(): Promise<void>;
}

export interface PeerRegistryOptions {
  readonly stateStore: DocumentStore;
  readonly instanceId: string;
  /** What runs in this process, as others name it. */
  readonly name: string;
  readonly clock: ShopClock;
  /** The parts of this process that have not passed a position in time. */
  readonly lagging: (position: number, timeoutMs: number) => Promise<readonly string[]>;
  readonly log: Pick<Logger, 'warn'>;
}

/** A process that counts as alive until then (real time, milliseconds), unless renewed. */
interface Presence extends Document {
  readonly name: string;
  readonly aliveUntil: number;
  readonly offsetMs: number;
  /** Lagging parts, by question. */
  readonly answers: Readonly<Record<string, readonly string[]>>;
}

interface Question extends Document {
  readonly position: number;
  readonly askedBy: string;
  /** Real time, milliseconds. */
  readonly answerBy: number;
}

const presences = 'processes';
const questions = 'rollCalls';
const LIVES_MILLISECONDS = 3000;
const LOOK_EVERY_MILLISECONDS = 100;
const SHOW_EVERY_MILLISECONDS = 1000;

/** Joins the registry. Errors: `EngineUnavailable`. */
export const joinPeerRegistry = async (options: PeerRegistryOptions): Promise<PeerRegistry> => {
  const { stateStore } = options;
  await stateStore.declare(presences, [{ fields: ['aliveUntil'] }]);
  await stateStore.declare(questions, [{ fields: ['answerBy'] }]);
  const present = new PresentProcess(options);
  await present.join();
  return present;
};

class PresentProcess implements PeerRegistry {
  readonly #options: PeerRegistryOptions;
  readonly #stopping = new AbortController();
  #looking: Promise<void> = Promise.resolve();
  /** Answers by question; null while one is being worked out. */
  readonly #answers = new Map<string, readonly string[] | null>();
  #isToBeShown = true;
  #shownAt = 0;
  #shownOffset = 0;

  constructor(options: PeerRegistryOptions) {
    this.#options = options;
  }

  async join(): Promise<void> {
    await this.#show();
    this.#looking = this.#keepLooking();
  }

  async lagging(position: number, timeoutMs: number): Promise<readonly string[]> {
    const { stateStore, instanceId } = this.#options;
    const answerBy = Date.now() + timeoutMs;
    const question: Question = { _id: newId(), position, askedBy: instanceId, answerBy };
    if ((await this.#others()).length === 0) return [];
    await stateStore.write([{ collection: questions, put: question }]);
    try {
      for (;;) {
        const others = await this.#others();
        const silent = others.filter(({ answers }) => answers[question._id] === undefined);
        const isOver = Date.now() >= answerBy;
        if (silent.length === 0 || isOver)
          return others.flatMap(({ name, answers }) =>
            (answers[question._id] ?? ['no answer']).map((who) => `${who} (${name})`),
          );
        await pause(LOOK_EVERY_MILLISECONDS / 2, this.#stopping.signal);
      }
    } finally {
      await stateStore.write([{ collection: questions, remove: question._id }]);
    }
  }

  async isTimeFollowed(): Promise<void> {
    const { clock } = this.#options;
    while (!this.#stopping.signal.aborted) {
      const behind = (await this.#others()).some(({ offsetMs }) => offsetMs < clock.offsetMs);
      if (!behind) return;
      await pause(LOOK_EVERY_MILLISECONDS / 2, this.#stopping.signal);
    }
  }

  async stop(): Promise<void> {
    const { stateStore, instanceId } = this.#options;
    this.#stopping.abort();
    await this.#looking;
    await stateStore.write([{ collection: presences, remove: instanceId }]).catch(() => undefined);
  }

  async #others(): Promise<readonly Presence[]> {
    const { stateStore, instanceId } = this.#options;
    const alive = await stateStore.find<Presence>(presences, { filter: { aliveUntil: { gt: Date.now() } } });
    return alive.filter(({ _id }) => _id !== instanceId);
  }

  async #keepLooking(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#look();
      } catch (error) {
        this.#options.log.warn({ err: error }, 'the other processes cannot be seen, trying again');
      }
      await pause(LOOK_EVERY_MILLISECONDS, signal);
    }
  }

  async #look(): Promise<void> {
    const { clock, stateStore, instanceId } = this.#options;
    await clock.follow();
    const open = await stateStore.find<Question>(questions, { filter: { answerBy: { gt: Date.now() } } });
    for (const question of open) {
      if (question.askedBy !== instanceId && !this.#answers.has(question._id)) this.#answer(question);
    }
    for (const id of this.#answers.keys()) if (!open.some(({ _id }) => _id === id)) this.#answers.delete(id);
    const isDue = Date.now() - this.#shownAt >= SHOW_EVERY_MILLISECONDS;
    if (this.#isToBeShown || isDue || clock.offsetMs !== this.#shownOffset) await this.#show();
  }

  /** Does not block following the time or other questions. */
  #answer({ _id, position, answerBy }: Question): void {
    this.#answers.set(_id, null);
    this.#options
      .lagging(position, Math.max(0, answerBy - Date.now()))
      .catch((error: unknown) => [String(error)])
      .then((lagging) => {
        this.#answers.set(_id, lagging);
        this.#isToBeShown = true;
      })
      .catch(() => undefined);
  }

  async #show(): Promise<void> {
    const { stateStore, instanceId, name, clock } = this.#options;
    const { offsetMs } = clock;
    const now = Date.now();
    const answers = Object.fromEntries([...this.#answers].filter(([, lagging]) => lagging !== null));
    this.#isToBeShown = false;
    const put = {
      _id: instanceId,
      name,
      aliveUntil: now + LIVES_MILLISECONDS,
      offsetMs,
      answers,
    } as Presence;
    await stateStore.write([{ collection: presences, put }]);
    this.#shownAt = now;
    this.#shownOffset = offsetMs;
  }
}
