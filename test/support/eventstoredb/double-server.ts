import {
  Server,
  ServerCredentials,
  type sendUnaryData,
  type ServiceError,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { DoubleAppends, type AppendCall, type BatchAppendCall } from './double-appends.ts';
import { DoubleCalls } from './double-calls.ts';
import { DoubleFaults } from './double-faults.ts';
import { DoubleLog } from './double-log.ts';
import { respondToRead, type ReadCall } from './double-reads.ts';
import { clusterInfo, type EndPoint, type Standing } from './double-standing.ts';
import {
  features,
  gossip,
  GossipService,
  ServerFeaturesService,
  type streams,
  StreamsService,
} from './protocol.ts';

/** In PEM. */
export interface ServerCertificate {
  readonly key: string;
  readonly certificate: string;
}

export interface EventStoreDoubleOptions {
  /** Where the log outlives the double; in memory without. */
  readonly file?: string;
  /** Default: one that is free. */
  readonly port?: number;
  /** As servers before 21.6. */
  readonly withoutBatchAppend?: boolean;
  /** In bytes. Default: 1 MiB, as the server's. */
  readonly maxAppendSize?: number;
  /** With it, the double speaks TLS only. */
  readonly tls?: ServerCertificate;
  /** For a node of a cluster: the log that all nodes have, which outlives the node, and its place among them. */
  readonly cluster?: { readonly log: DoubleLog; readonly standing: Standing };
}

/**
 * A stand-in for EventStoreDB on real sockets of the loopback interface: server features, append, batch append, reads,
 * subscriptions to all with filter, checkpoints and the caught-up notice, gossip. Alone it leads a cluster of one; see
 * `EventStoreDoubleCluster` for more. It is no database.
 */
export class EventStoreDouble {
  readonly faults = new DoubleFaults();
  readonly calls = new DoubleCalls();
  /** A test may give the node another one. */
  log: DoubleLog;
  readonly #options: EventStoreDoubleOptions;
  readonly #standing: Standing;
  #server: Server | undefined;
  #port: number;

  constructor(options: EventStoreDoubleOptions = {}) {
    this.#options = options;
    this.#port = options.port ?? 0;
    this.log = options.cluster?.log ?? new DoubleLog(options.file);
    this.#standing = options.cluster?.standing ?? {
      leader: () => 'itself',
      members: () => [
        {
          instanceId: '00000000-0000-4000-8000-000000000001',
          timeStamp: 0,
          state: gossip.MemberInfo.VNodeState.LEADER,
          isAlive: true,
          endPoint: this.endPoint,
        },
      ],
    };
  }

  get endPoint(): EndPoint {
    return { address: '127.0.0.1', port: this.#port };
  }

  /** For the client, from the first start on the same. */
  get address(): string {
    return `esdb://127.0.0.1:${this.#port}?tls=${this.#options.tls !== undefined}`;
  }

  /** Listens, again too. */
  async start(): Promise<this> {
    const server = new Server();
    this.#server = server;
    server.addService(StreamsService, this.#streams());
    server.addService(ServerFeaturesService, { getSupportedMethods: this.#answerFeatures });
    server.addService(GossipService, { read: this.#answerGossip });
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    server.bindAsync(`127.0.0.1:${this.#port}`, this.#credentials(), (error, port) =>
      error ? reject(error) : resolve(port),
    );
    this.#port = await promise;
    return this;
  }

  /** Cuts every connection and refuses new ones until `start`. The log stays. */
  stop(): void {
    this.#server?.forceShutdown();
  }

  close(): void {
    this.faults.thaw();
    this.stop();
    if (!this.#options.cluster) this.log.close();
  }

  #credentials(): ServerCredentials {
    const { tls } = this.#options;
    if (!tls) return ServerCredentials.createInsecure();
    const pair = { private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.certificate) };
    return ServerCredentials.createSsl(null, [pair]);
  }

  #streams(): UntypedServiceImplementation {
    const parts = {
      logNow: () => this.log,
      faults: this.faults,
      calls: this.calls,
      standing: this.#standing,
      maxAppendSize: this.#options.maxAppendSize ?? 1024 * 1024,
    };
    const appends = new DoubleAppends(parts);
    const read = (call: ReadCall): void => {
      respondToRead(parts, call).catch((error: unknown) => call.emit('error', error));
    };
    const append = (call: AppendCall, answer: sendUnaryData<streams.AppendResp>): void =>
      appends.respondToAppend(call, answer);
    const batchAppend = (call: BatchAppendCall): void => appends.respondToBatchAppend(call);
    return this.#options.withoutBatchAppend ? { read, append } : { read, append, batchAppend };
  }

  readonly #answerFeatures = (_call: unknown, answer: sendUnaryData<features.SupportedMethods>): void => {
    const methods = this.#options.withoutBatchAppend ? ['read', 'append'] : ['read', 'append', 'batchappend'];
    this.#answer(answer, () =>
      new features.SupportedMethods()
        .setEventStoreServerVersion('23.10.6')
        .setMethodsList(
          methods.map((name) =>
            new features.SupportedMethod()
              .setServiceName('event_store.client.streams.streams')
              .setMethodName(name),
          ),
        ),
    );
  };

  readonly #answerGossip = (_call: unknown, answer: sendUnaryData<gossip.ClusterInfo>): void => {
    this.calls.count('gossip');
    this.#answer(answer, () => clusterInfo(this.#standing.members()));
  };

  #answer<Message>(answer: sendUnaryData<Message>, message: () => Message): void {
    this.faults.answering().then(
      () => answer(null, message()),
      (error: ServiceError) => answer(error),
    );
  }
}
