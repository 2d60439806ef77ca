import type { ClientDuplexStream, ClientReadableStream, CallOptions } from '@grpc/grpc-js';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { ServerAddress } from './address.ts';
import { EventStoreDBClient, StreamsClient, type streams } from './protocol.ts';

export type ReadCall = ClientReadableStream<streams.ReadResp>;
export type BatchAppendCall = ClientDuplexStream<streams.BatchAppendReq, streams.BatchAppendResp>;

/**
 * The client's connection: connection string, TLS, credentials, discovery of a cluster's leader and the change to
 * another node are its business; it offers them to its own modules only, hence the brackets. Every call goes to the
 * leader, as what a follower says may be old.
 */
export class Connection {
  readonly timeoutMilliseconds: number;
  readonly #client: EventStoreDBClient;
  readonly #closing = new AbortController();
  #channelOwner: StreamsClient | undefined;

  constructor({ connectionString, timeoutMilliseconds }: ServerAddress) {
    this.timeoutMilliseconds = timeoutMilliseconds;
    this.#client = EventStoreDBClient.connectionString(connectionString);
    // Nobody waits for it, so that a cluster without a leader would end the process with an unhandled rejection.
    const changeNode = this.#client['handleError'];
    this.#client['handleError'] = (failed, error) => changeNode(failed, error).catch(() => undefined);
  }

  /** Aborts when the connection closes. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Starts a read or a subscription. `deadline` in milliseconds since 1970; `Infinity` for a subscription. */
  read(request: streams.ReadReq, deadline: number): Promise<ReadCall> {
    return this.#open((grpc) => grpc.read(request, ...this.#arguments({ deadline })));
  }

  batchAppend(): Promise<BatchAppendCall> {
    return this.#open((grpc) => grpc.batchAppend(...this.#arguments({ deadline: Infinity })));
  }

  append(requests: readonly streams.AppendReq[], deadline: number): Promise<streams.AppendResp> {
    return this.#client['execute'](StreamsClient, 'append', (grpc) => {
      this.#channelOwner = grpc;
      const { promise, resolve, reject } = Promise.withResolvers<streams.AppendResp>();
      const call = grpc.append(...this.#arguments({ deadline }), (error, response) =>
        error ? reject(error) : resolve(response),
      );
      call.on('error', reject);
      for (const request of requests) call.write(request);
      call.end();
      return promise;
    });
  }

  /**
   * Waits for `work` until `deadline`. The deadline of a gRPC call is not enough: it does not cover the search for a
   * cluster's leader, and an append within a batch call has none. Throws `EngineUnavailable`.
   */
  async within<T>(deadline: number, work: () => Promise<T>): Promise<T> {
    if (this.closing.aborted) throw new EngineUnavailable('the event store is closed');
    const left = deadline - Date.now();
    if (left <= 0) throw this.#tooLate();
    const { promise: gaveUp, reject } = Promise.withResolvers<never>();
    const onClose = (): void => reject(new EngineUnavailable('the event store was closed'));
    this.closing.addEventListener('abort', onClose);
    const timer = setTimeout(() => reject(this.#tooLate()), left);
    try {
      return await Promise.race([gaveUp, work()]);
    } finally {
      clearTimeout(timer);
      this.closing.removeEventListener('abort', onClose);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#client.dispose();
    this.#channelOwner?.close();
  }

  async #open<Call extends ReadCall | BatchAppendCall>(start: (grpc: StreamsClient) => Call): Promise<Call> {
    const call = await this.#client['GRPCStreamCreator'](StreamsClient, 'streams', (grpc) => {
      this.#channelOwner = grpc;
      const started = start(grpc);
      // A cancelled call reports that as an error, which would end the process if nobody listened any more.
      started.on('error', () => undefined);
      return started;
    })();
    if (this.closing.aborted) call.cancel();
    return call;
  }

  #tooLate(): EngineUnavailable {
    return new EngineUnavailable(`EventStoreDB did not answer in ${this.timeoutMilliseconds} ms`);
  }

  #arguments(options: CallOptions): ReturnType<EventStoreDBClient['callArguments']> {
    return this.#client['callArguments']({ requiresLeader: true }, options);
  }
}
