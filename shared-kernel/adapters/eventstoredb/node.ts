import {
  ChannelCredentials,
  Metadata,
  type Channel,
  type ClientDuplexStream,
  type ClientReadableStream,
  type ClientUnaryCall,
} from '@grpc/grpc-js';
import type { EndPoint, ServerAddress } from './address.ts';
import { openChannel } from './channel.ts';
import { membersIn, type Member } from './gossip-responses.ts';
import { GossipClient, shared, StreamsClient, type streams } from './protocol.ts';

export type ReadCall = ClientReadableStream<streams.ReadResp>;
export type BatchAppendCall = ClientDuplexStream<streams.BatchAppendReq, streams.BatchAppendResp>;

/** A connection to one node until it is left. Every call asks for the leader, as what a follower says may be old. */
export class Node {
  readonly endPoint: EndPoint;
  readonly #channel: Channel;
  readonly #streams: StreamsClient;
  readonly #gossip: GossipClient;
  readonly #metadata = new Metadata();
  readonly #listeners = new Set<(reason: Error) => void>();
  #reason: Error | undefined;

  constructor(endPoint: EndPoint, server: ServerAddress) {
    this.endPoint = endPoint;
    this.#channel = openChannel(endPoint, server);
    // Address and credentials are the channel's.
    const channelOf = ['', ChannelCredentials.createInsecure(), { channelOverride: this.#channel }] as const;
    this.#streams = new StreamsClient(...channelOf);
    this.#gossip = new GossipClient(...channelOf);
    this.#metadata.set('connection-name', server.connectionName);
    this.#metadata.set('requires-leader', 'true');
    if (server.authorization !== null) this.#metadata.set('authorization', server.authorization);
  }

  get isLeft(): boolean {
    return this.#reason !== undefined;
  }

  /** Why it was left, if it was. */
  get reason(): Error | undefined {
    return this.#reason;
  }

  /** Tells `listener` when the node is left, at once where it has been. Returns how to take it off again. */
  onLeft(listener: (reason: Error) => void): () => void {
    if (this.#reason) listener(this.#reason);
    else this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** For good: all who wait for an answer hear `reason`. */
  leave(reason: Error): void {
    if (this.#reason) return;
    this.#reason = reason;
    for (const listener of this.#listeners) listener(reason);
    this.#listeners.clear();
    this.#channel.close();
  }

  /** `deadline` in milliseconds since 1970; `Infinity` for a subscription. */
  read(request: streams.ReadReq, deadline: number): ReadCall {
    return listenedTo(this.#streams.read(request, this.#metadata.clone(), { deadline }));
  }

  batchAppend(): BatchAppendCall {
    return listenedTo(this.#streams.batchAppend(this.#metadata.clone(), { deadline: Infinity }));
  }

  async append(requests: readonly streams.AppendReq[], deadline: number): Promise<streams.AppendResp> {
    const { promise, resolve, reject } = Promise.withResolvers<streams.AppendResp>();
    const call = this.#streams.append(this.#metadata.clone(), { deadline }, (error, response) =>
      error ? reject(error) : resolve(response),
    );
    call.on('error', reject);
    const forget = this.onLeft((reason) => {
      reject(reason);
      call.cancel();
    });
    for (const request of requests) call.write(request);
    call.end();
    try {
      return await promise;
    } finally {
      forget();
    }
  }

  /** The members of the cluster as this node sees them. Rejects when it has not answered in time. */
  async members(milliseconds: number): Promise<readonly Member[]> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly Member[]>();
    const deadline = Date.now() + milliseconds;
    const call: ClientUnaryCall = this.#gossip.read(
      new shared.Empty(),
      new Metadata(),
      { deadline },
      (error, info) => (error ? reject(error) : resolve(membersIn(info))),
    );
    const forget = this.onLeft((reason) => {
      reject(reason);
      call.cancel();
    });
    try {
      return await promise;
    } finally {
      forget();
    }
  }
}

/** A cancelled call reports that as an error, which would end the process without a listener. */
const listenedTo = <Call extends ReadCall | BatchAppendCall>(call: Call): Call => {
  call.on('error', () => undefined);
  return call;
};
