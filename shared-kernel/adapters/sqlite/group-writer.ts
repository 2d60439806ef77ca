import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { GroupResponse } from './group-commit.ts';
import type { LinkListener, WriterLink } from './writer-thread.ts';

/** Without its request, which may be large: once that is sent, it is to be collected. */
interface Waiting<Outcome> {
  readonly committed: ((outcome: Outcome) => void) | null;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: Error) => void;
}

export interface GroupWriterOptions<Request, Outcome> {
  readonly link: (listener: LinkListener<Outcome>) => WriterLink<Request>;
  /** Called for each committed request, in order of commit, before anybody's promise resolves. */
  readonly onCommitted?: (request: Request, outcome: Outcome) => void;
  /** Called when the writer was lost, after its requests were rejected. */
  readonly onLost?: () => void;
}

/** The larger the last group, the longer the next one may gather, from one sending to the next. */
const GATHER_MILLISECONDS_EACH = 0.3;
const GATHER_MILLISECONDS_AT_MOST = 6;

/** After this long without another failure a writer is tried again: the disk may have room by now. */
const TRIED_AGAIN_MILLISECONDS = 10_000;

const gatherMilliseconds = (groupSize: number): number =>
  Math.min(groupSize * GATHER_MILLISECONDS_EACH, GATHER_MILLISECONDS_AT_MOST);

/**
 * The senders' side of group commit. What arrives while a group is being committed, and then for as long as each turn
 * of the event loop brings more, goes to the writer in one message: under load commits become few, and without load
 * no request waits. A request rejects with `EngineUnavailable` when its group failed or the writer died; the writer
 * works on.
 */
export class GroupWriter<Request, Outcome> {
  readonly #options: GroupWriterOptions<Request, Outcome>;
  readonly #link: WriterLink<Request>;
  /** Every unanswered request, oldest first; the newest ones, `#unsent`, have not gone out yet. */
  #waiting: Waiting<Outcome>[] = [];
  #unsent: Request[] = [];
  #isClosed = false;
  #commits = 0;
  /** Sent and not yet answered. */
  #inFlight = 0;
  #isScheduled = false;
  #gatherUntil = 0;
  #failed: { readonly at: number; readonly reason: string } | null = null;

  constructor(options: GroupWriterOptions<Request, Outcome>) {
    this.#options = options;
    this.#link = options.link({
      answered: (answer) => this.#settle(answer),
      lost: (reason) => {
        this.#fail(this.#inFlight, reason);
        this.#options.onLost?.();
      },
    });
  }

  /** How many transactions were committed: far fewer than requests under load. */
  get commits(): number {
    return this.#commits;
  }

  /** Why nothing is committed just now; null when the last group was, or is too long ago to tell. */
  get problem(): string | null {
    const isOld = this.#failed && performance.now() - this.#failed.at >= TRIED_AGAIN_MILLISECONDS;
    return isOld ? null : (this.#failed?.reason ?? null);
  }

  submit(request: Request): Promise<Outcome> {
    if (this.#isClosed) return Promise.reject(new EngineUnavailable('the engine is closed'));
    const { onCommitted } = this.#options;
    const committed = onCommitted ? (outcome: Outcome) => onCommitted(request, outcome) : null;
    this.#unsent.push(request);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ committed, resolve, reject });
      this.#schedule();
    });
  }

  /** Answers everything that was submitted, then ends the writer. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#send();
    await this.#link.close();
    this.#fail(this.#waiting.length, 'the engine is closed');
  }

  #schedule(): void {
    if (this.#isScheduled || this.#inFlight > 0 || this.#unsent.length === 0) return;
    this.#isScheduled = true;
    this.#gather(1);
  }

  /** Sends what there is once a turn has brought no more than there was, or the time is over. */
  #gather(known: number): void {
    setImmediate(() => {
      const isGrowing = this.#unsent.length > known;
      if (isGrowing && performance.now() < this.#gatherUntil) this.#gather(this.#unsent.length);
      else this.#send();
    });
  }

  #send(): void {
    this.#isScheduled = false;
    if (this.#unsent.length === 0) return;
    const requests = this.#unsent;
    this.#unsent = [];
    this.#inFlight += requests.length;
    this.#gatherUntil = performance.now() + gatherMilliseconds(requests.length);
    this.#link.send(requests);
  }

  #settle(answer: GroupResponse<Outcome>): void {
    this.#failed = 'failed' in answer ? { at: performance.now(), reason: answer.reason } : null;
    if ('failed' in answer) {
      this.#fail(answer.failed, answer.reason);
      return;
    }
    this.#commits++;
    const group = this.#take(answer.outcomes.length);
    const settled = answer.outcomes.map((outcome, index) => ({ outcome, sender: group[index] }));
    for (const { outcome, sender } of settled) sender?.committed?.(outcome);
    for (const { outcome, sender } of settled) sender?.resolve(outcome);
  }

  #fail(count: number, reason: string): void {
    for (const { reject } of this.#take(count)) reject(new EngineUnavailable(reason));
  }

  /** The oldest ones; when the last of those that went out is answered, the next can go. */
  #take(count: number): readonly Waiting<Outcome>[] {
    this.#inFlight = Math.max(0, this.#inFlight - count);
    this.#schedule();
    return this.#waiting.splice(0, count);
  }
}
