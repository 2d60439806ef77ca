import { Worker } from 'node:worker_threads';
import { Rejection } from '#kernel/rejection.ts';

export interface HashQuestion {
  readonly password: string;
  readonly salt: Uint8Array;
  readonly keyBytes: number;
  readonly logN: number;
  readonly r: number;
  readonly p: number;
}

export type HashAnswer = { readonly key: Uint8Array } | { readonly failed: string };

interface Waiting {
  readonly resolve: (key: Uint8Array) => void;
  readonly reject: (error: Error) => void;
}

interface HashingThread {
  readonly worker: Worker;
  /** Who waits for what it is at. */
  current: Waiting | null;
  onClosed: (() => void) | null;
}

const entry = new URL('./password-hashing.ts', import.meta.url);

const lost = (): Rejection =>
  new Rejection('too-busy', 'Passwords cannot be checked at the moment. Please try again in a moment.');

/**
 * Threads that hash passwords, behind everybody who shops (docs/rules/members.md#load). One is started when it is first
 * wanted and hashes one password at a time. Should it die, whoever waited for it is refused, and the next hash starts
 * another one.
 */
export class PasswordThreads {
  readonly #onLost: (reason: unknown) => void;
  readonly #threads = new Set<HashingThread>();

  constructor(onLost: (reason: unknown) => void) {
    this.#onLost = onLost;
  }

  /** Callers see to it that there are not too many at once. Errors: Rejection `too-busy` where its thread has died. */
  derive(question: HashQuestion): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const thread = [...this.#threads].find(({ current }) => current === null) ?? this.#start();
      thread.current = { resolve, reject };
      thread.worker.ref();
      thread.worker.postMessage(question);
    });
  }

  /** Lets the hashes that are under way end. */
  async close(): Promise<void> {
    await Promise.all(
      [...this.#threads].map(
        (thread) =>
          new Promise<void>((resolve) => {
            thread.onClosed = resolve;
            thread.worker.ref();
            thread.worker.postMessage('close');
          }),
      ),
    );
  }

  #start(): HashingThread {
    const worker = new Worker(entry);
    const thread: HashingThread = { worker, current: null, onClosed: null };
    let reason: unknown = 'it ended';
    worker.on('message', (answer: HashAnswer) => {
      const asked = thread.current;
      thread.current = null;
      // An idle thread keeps no process alive.
      if (thread.onClosed === null) worker.unref();
      if ('key' in answer) asked?.resolve(answer.key);
      else asked?.reject(new Error(`a password could not be hashed: ${answer.failed}`));
    });
    worker.on('error', (error) => (reason = error));
    worker.on('exit', () => {
      this.#threads.delete(thread);
      if (thread.onClosed === null) this.#onLost(reason);
      thread.current?.reject(lost());
      thread.current = null;
      thread.onClosed?.();
    });
    this.#threads.add(thread);
    return thread;
  }
}
