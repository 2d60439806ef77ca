import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { GroupAnswer } from './group-commit.ts';
import type { LinkListener, WriterLink } from './writer-thread.ts';

interface Waiting<Request, Outcome> {
  readonly request: Request;
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

/**
 * The senders' side of group commit. Requests of one turn of the event loop go to the writer in one message. A request
 * rejects with `EngineUnavailable` when its group failed or the writer died; the writer works on.
 */
export class GroupWriter<Request, Outcome> {
  readonly #options: GroupWriterOptions<Request, Outcome>;
  readonly #link: WriterLink<Request>;
  /** Every unanswered request, oldest first; the newest ones, `#unsent`, have not gone out yet. */
  #waiting: Waiting<Request, Outcome>[] = [];
  #unsent: Request[] = [];
  #isClosed = false;
  #commits = 0;

  constructor(options: GroupWriterOptions<Request, Outcome>) {
    this.#options = options;
    this.#link = options.link({
      answered: (answer) => this.#settle(answer),
      lost: (reason) => {
        this.#fail(this.#waiting.length - this.#unsent.length, reason);
        this.#options.onLost?.();
      },
    });
  }

  /** How many transactions were committed: far fewer than requests under load. */
  get commits(): number {
    return this.#commits;
  }

  submit(request: Request): Promise<Outcome> {
    if (this.#isClosed) return Promise.reject(new EngineUnavailable('the engine is closed'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      if (this.#unsent.push(request) === 1) setImmediate(() => this.#send());
    });
  }

  /** Answers everything that was submitted, then ends the writer. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#send();
    await this.#link.close();
    this.#fail(this.#waiting.length, 'the engine is closed');
  }

  #send(): void {
    if (this.#unsent.length === 0) return;
    const requests = this.#unsent;
    this.#unsent = [];
    this.#link.send(requests);
  }

  #settle(answer: GroupAnswer<Outcome>): void {
    if ('failed' in answer) {
      this.#fail(answer.failed, answer.reason);
      return;
    }
    this.#commits++;
    const group = this.#waiting.splice(0, answer.outcomes.length);
    const { onCommitted } = this.#options;
    const settled = answer.outcomes.map((outcome, index) => ({ outcome, sender: group[index] }));
    for (const { outcome, sender } of settled) if (sender) onCommitted?.(sender.request, outcome);
    for (const { outcome, sender } of settled) sender?.resolve(outcome);
  }

  #fail(count: number, reason: string): void {
    for (const { reject } of this.#waiting.splice(0, count)) reject(new EngineUnavailable(reason));
  }
}
