import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { BatchAppendCall, Node } from './node.ts';
import type { streams } from './protocol.ts';

interface Waiting {
  resolve(answer: streams.BatchAppendResp): void;
  reject(reason: unknown): void;
}

/**
 * One long call that carries the appends of all streams side by side, each answered when it is done, in any order.
 * When the call ends, all that still wait fail with its error: their outcome is unknown.
 */
export class BatchAppendStream {
  readonly node: Node;
  readonly #call: BatchAppendCall;
  readonly #waiting = new Map<string, Waiting>();
  #forget: () => void = () => undefined;
  #isOpen = true;

  constructor(node: Node) {
    this.node = node;
    const call = (this.#call = node.batchAppend());
    call.on('data', (answer: streams.BatchAppendResp) => this.#answered(answer));
    call.on('error', (error) => this.#ended(error));
    for (const event of ['end', 'close'])
      call.on(event, () => this.#ended(new EngineUnavailable('EventStoreDB ended the call')));
    this.#forget = node.onLeft((reason) => {
      this.#ended(reason);
      call.cancel();
    });
  }

  /** False once it takes no more appends. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Throws `EngineUnavailable` when there is no answer at `deadline`, in milliseconds since 1970. */
  async send(
    correlationId: string,
    message: streams.BatchAppendReq,
    deadline: number,
  ): Promise<streams.BatchAppendResp> {
    const { promise, resolve, reject } = Promise.withResolvers<streams.BatchAppendResp>();
    this.#waiting.set(correlationId, { resolve, reject });
    const timer = setTimeout(() => this.#giveUp(correlationId), Math.max(0, deadline - Date.now()));
    this.#call.write(message);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /** The call may be dead: it takes no more appends. Answers to the others may still come. */
  #giveUp(correlationId: string): void {
    this.#waiting.get(correlationId)?.reject(new EngineUnavailable('EventStoreDB did not answer an append'));
    this.#waiting.delete(correlationId);
    this.#isOpen = false;
    this.#leaveWhenDone();
  }

  #answered(answer: streams.BatchAppendResp): void {
    const correlationId = answer.getCorrelationId()?.getString() ?? '';
    this.#waiting.get(correlationId)?.resolve(answer);
    this.#waiting.delete(correlationId);
    this.#leaveWhenDone();
  }

  #leaveWhenDone(): void {
    if (!this.#isOpen && this.#waiting.size === 0) this.#call.cancel();
  }

  #ended(reason: unknown): void {
    this.#isOpen = false;
    this.#forget();
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }
}
