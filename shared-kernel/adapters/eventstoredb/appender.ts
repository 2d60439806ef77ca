import { newId } from '#kernel/ids.ts';
import type { AppendResult } from '#ports/event-store.ts';
import {
  appendError,
  appendMessages,
  batchAppendMessage,
  resultOfAppend,
  resultOfBatchAppend,
  type AppendRequest,
} from './append-messages.ts';
import { BatchAppendStream } from './batch-append-stream.ts';
import type { Connection } from './connection.ts';
import { isUnknownCall } from './failures.ts';
import type { Node } from './node.ts';

/**
 * Appends to different streams run side by side, those to one stream one after another: the server gives no order to
 * calls that overlap, and silently drops a repeat whose first append is still under way.
 */
export class Appender {
  readonly #connection: Connection;
  readonly #lastOfStream = new Map<string, Promise<unknown>>();
  #lane: BatchAppendStream | undefined;
  /** Not every server that speaks the protocol knows it; then each append is a call of its own. */
  #hasBatchAppend = true;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async append(request: AppendRequest): Promise<AppendResult> {
    const deadline = Date.now() + this.#connection.timeoutMilliseconds;
    return this.#inTurn(request.stream, () =>
      this.#connection
        .within(deadline, async (node) => {
          const batched = this.#hasBatchAppend
            ? await this.#appendInBatch(node, request, deadline)
            : undefined;
          return batched ?? resultOfAppend(request, await node.append(appendMessages(request), deadline));
        })
        .catch((error: unknown) => {
          throw appendError(request, error);
        }),
    );
  }

  async #inTurn<T>(stream: string, work: () => Promise<T>): Promise<T> {
    const before = this.#lastOfStream.get(stream) ?? Promise.resolve();
    const mine = before.then(work);
    const settled = mine.catch(() => undefined);
    this.#lastOfStream.set(stream, settled);
    try {
      return await mine;
    } finally {
      if (this.#lastOfStream.get(stream) === settled) this.#lastOfStream.delete(stream);
    }
  }

  /** Undefined where the server knows no such call: then nothing has happened. */
  async #appendInBatch(
    node: Node,
    request: AppendRequest,
    deadline: number,
  ): Promise<AppendResult | undefined> {
    const correlationId = newId();
    const message = batchAppendMessage(correlationId, request);
    try {
      const answer = await this.#laneOn(node).send(correlationId, message, deadline);
      return resultOfBatchAppend(request, answer);
    } catch (error) {
      if (!isUnknownCall(error)) throw error;
      this.#hasBatchAppend = false;
      return undefined;
    }
  }

  #laneOn(node: Node): BatchAppendStream {
    if (!this.#lane?.isOpen || this.#lane.node !== node) this.#lane = new BatchAppendStream(node);
    return this.#lane;
  }
}
