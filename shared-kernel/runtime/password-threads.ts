import { Rejection } from '#kernel/rejection.ts';
import { WorkerPool } from './worker-pool.ts';

export interface HashQuestion {
  readonly password: string;
  readonly salt: Uint8Array;
  readonly keyBytes: number;
  readonly logN: number;
  readonly r: number;
  readonly p: number;
}

export type HashResponse = { readonly key: Uint8Array } | { readonly failed: string };

const lost = (): Rejection =>
  new Rejection('too-busy', 'Passwords cannot be checked at the moment. Please try again in a moment.');

/** Threads that hash passwords, at a lower priority than shopping (docs/rules/members.md#load). */
export class PasswordThreads {
  readonly #threads: WorkerPool<HashQuestion, HashResponse>;

  constructor(onLost: (reason: unknown) => void) {
    const entry = new URL('./password-hashing.ts', import.meta.url);
    this.#threads = new WorkerPool({ entry, lost, onLost });
  }

  /** Callers limit how many run at once. Errors: Rejection `too-busy` if its thread has died. */
  async derive(question: HashQuestion): Promise<Uint8Array> {
    const answer = await this.#threads.ask(question);
    if ('failed' in answer) throw new Error(`a password could not be hashed: ${answer.failed}`);
    return answer.key;
  }

  /** Waits for hashes under way. */
  close(): Promise<void> {
    return this.#threads.close();
  }
}
