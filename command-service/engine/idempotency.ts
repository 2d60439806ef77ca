import type { Idempotency, IdempotentRun } from '#http/idempotent.ts';
import { isSealedText, type PersonalTexts } from '#log/personal-texts.ts';
import type { TextCipher } from '#values/text-cipher.ts';
import { pause } from '#runtime/back-off.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { createRunMarks, type RunMark, type RunMarkOptions, type RunMarks } from './run-marks.ts';

/** What goes back to the caller; plain JSON. */
interface Answer {
  readonly status: number;
  readonly code?: string;
}

export interface IdempotencyOptions extends RunMarkOptions {
  /** Answers hold addresses and new secrets: they are not in the state store in clear. */
  readonly texts: Pick<PersonalTexts, 'sealFor' | 'open'>;
  /** For answers that a release kept that knew no seals of subjects. */
  readonly formerCipher: TextCipher;
  /** Grows whenever the connection to the log was disturbed. Default: it never is. */
  readonly disturbances?: () => number;
}

/** `answer` is null while the handler runs. */
interface Mark extends RunMark {
  readonly fingerprint: string;
  /** Sealed JSON. */
  readonly answer: string | null;
  /** The shop's time, milliseconds. */
  readonly expiresAt: number;
}

/** `kept`: the answer in clear; null where the handler has to run, under the mark that is ours. */
interface Claimed {
  readonly claimed: Mark;
  readonly kept: string | null;
}

const collection = 'idempotency';
export const STORED_ANSWERS_MILLISECONDS = 48 * 60 * 60 * 1000;

/** Declares its collection; call it once at start. */
export const createIdempotency = async (options: IdempotencyOptions): Promise<Idempotency> => {
  await options.stateStore.declare(collection, [{ fields: ['expiresAt'] }]);
  return new StoredAnswers(options);
};

/** Removes answers that have expired, at most `limit` of them; returns how many. */
export const purgeIdempotency = (stateStore: DocumentStore, now: number, limit = 1000): Promise<number> =>
  stateStore.deleteMany(collection, { expiresAt: { lte: now } }, limit);

class StoredAnswers implements Idempotency {
  readonly #options: IdempotencyOptions &
    Required<Pick<IdempotencyOptions, 'realTime' | 'pollMs' | 'disturbances'>>;
  readonly #marks: RunMarks<Mark>;

  constructor(options: IdempotencyOptions) {
    this.#options = { realTime: Date.now, pollMs: 50, disturbances: () => 0, ...options };
    this.#marks = createRunMarks(collection, { answer: null }, options);
  }

  async run<Reply extends Answer>(
    request: IdempotentRun,
    handle: (commandId: string) => Promise<Reply>,
  ): Promise<Reply> {
    const { scope, key, isKept = isKeptHere } = request;
    const { disturbances } = this.#options;
    const before = disturbances();
    const commandId = derivedId('idempotency', scope.caller, scope.method, scope.path, key);
    const { claimed, kept } = await this.#claim(commandId, request);
    if (kept !== null) {
      request.repeated?.();
      return JSON.parse(kept) as Reply;
    }
    const stopRenewing = this.#marks.keepLease(claimed);
    let answer: Reply | null = null;
    try {
      answer = await handle(commandId);
      return answer;
    } finally {
      stopRenewing();
      const isSure = answer && isOfThisLog(answer, disturbances() > before) && isKept(answer);
      const keeping = isSure ? answer : null;
      await this.#end(claimed, keeping, request.subjects?.() ?? []);
    }
  }

  /** A mark with its answer, or one of our own to run under. */
  async #claim(id: string, request: IdempotentRun): Promise<Claimed> {
    const { bodyFingerprint: fingerprint, formerFingerprint, now, waitMs } = request;
    const { keptMs = STORED_ANSWERS_MILLISECONDS } = request;
    const { stateStore, realTime, pollMs } = this.#options;
    const givesUpAt = realTime() + waitMs;
    for (;;) {
      const mine: Mark = {
        _id: id,
        fingerprint,
        answer: null,
        ...this.#marks.begin(),
        expiresAt: now + keptMs,
      };
      if (await stateStore.insertIfAbsent(collection, mine)) return { claimed: mine, kept: null };
      const mark = await stateStore.get<Mark>(collection, id);
      if (mark) {
        if (mark.expiresAt <= now) {
          await stateStore.deleteMany(collection, { _id: id, run: mark.run, expiresAt: mark.expiresAt }, 1);
          continue;
        }
        if (mark.fingerprint !== fingerprint && mark.fingerprint !== formerFingerprint?.()) throw keyReused();
        if (mark.answer) {
          const kept = await this.#open(mark.answer);
          if (kept !== null) return { claimed: mark, kept };
          // Whom it was about is forgotten. It is built again, of what is left.
          await stateStore.deleteMany(collection, { _id: id, run: mark.run }, 1);
          continue;
        }
        const taken = await this.#marks.takeOver(mark);
        if (taken) return { claimed: taken, kept: null };
      }
      if (realTime() >= givesUpAt) throw inProgress();
      await pause(pollMs);
    }
  }

  async #open(answer: string): Promise<string | null> {
    const { texts, formerCipher } = this.#options;
    return isSealedText(answer) ? texts.open(answer) : formerCipher.open(answer);
  }

  /**
   * Keeps the response, or frees the key where there is none, or one about a person who has been forgotten meanwhile.
   * If that fails the lease lapses, and a repeat is recognised by its id.
   */
  async #end({ _id, run }: Mark, answer: Answer | null, subjects: readonly string[]): Promise<void> {
    const { stateStore, texts, log } = this.#options;
    try {
      const sealed = answer && (await texts.sealFor(subjects, keptText(answer)));
      if (sealed) {
        await stateStore.updateIf(collection, { _id, run }, { set: { answer: sealed } });
      } else {
        await stateStore.deleteMany(collection, { _id, run }, 1);
      }
    } catch (error) {
      log?.warn({ err: error }, 'the answer under an idempotency key was not kept');
    }
  }
}

/**
 * False for a refusal of a log that was disturbed meanwhile: it may rest on what a node said that was behind. What it
 * recorded all the same is known by its command.
 */
const isOfThisLog = ({ status }: Answer, wasDisturbed: boolean): boolean =>
  status < 500 && !(status >= 400 && wasDisturbed);

/** False for what the caller may mend and send again under the same key. */
const isKeptHere = ({ status, code }: Answer): boolean =>
  ![401, 403, 429].includes(status) && !(status === 400 && code === 'invalid-request');

/** The most that is kept of a refusal: otherwise refused callers could fill the state store. */
const REFUSAL_CHARACTERS = 2000;
const MESSAGE_CHARACTERS = 500;

/** What a body of any surface says of a refusal. */
const refusalMembers = new Set([
  'success',
  'message',
  'errorMessage',
  'error',
  'code',
  'errorCode',
  'correlationId',
]);

/**
 * An answer as it is kept: of a long refusal only what it says, without what it shows, such as the basket. A text goes
 * out again byte by byte.
 */
const keptText = (answer: Answer & { readonly json?: unknown; readonly text?: unknown }): string => {
  const text = JSON.stringify(answer);
  const { status, code, json } = answer;
  if (status < 400 || answer.text !== undefined || text.length <= REFUSAL_CHARACTERS) return text;
  const said = Object.entries((json ?? {}) as Record<string, unknown>)
    .filter(([name, value]) => refusalMembers.has(name) && typeof value !== 'object')
    .map(([name, value]) => [name, typeof value === 'string' ? value.slice(0, MESSAGE_CHARACTERS) : value]);
  return JSON.stringify({ status, code, json: Object.fromEntries(said) as unknown });
};

export const keyReused = (): Rejection =>
  new Rejection('idempotency-key-reused', 'This idempotency key was used for a different request.');

const inProgress = (): Rejection =>
  new Rejection(
    'request-in-progress',
    'The first request with this idempotency key is still being carried out.',
  );
