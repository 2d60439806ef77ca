import {
  Server,
  ServerCredentials,
  type sendUnaryData,
  type ServiceError,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { DoubleAppends, type AppendCall, type BatchAppendCall } from './double-appends.ts';
import { DoubleFaults } from './double-faults.ts';
import { DoubleLog } from './double-log.ts';
import { answerRead, type ReadCall } from './double-reads.ts';
import {
  features,
  gossip,
  GossipService,
  ServerFeaturesService,
  shared,
  type streams,
  StreamsService,
} from './protocol.ts';

export interface EventStoreDoubleOptions {
  /** Where the log outlives the double; in memory without. */
  readonly file?: string;
  /** Default: one that is free. */
  readonly port?: number;
  /** As servers before 21.6. */
  readonly withoutBatchAppend?: boolean;
  /** In bytes. Default: 1 MiB, as the server's. */
  readonly maxAppendSize?: number;
}

/**
 * A stand-in for EventStoreDB on real sockets of the loopback interface: server features, append, batch append, reads,
 * subscriptions to all with filter, checkpoints and the caught-up notice, gossip of a cluster of one. It is no
 * database.
 */
export class EventStoreDouble {
  readonly faults = new DoubleFaults();
  readonly #log: DoubleLog;
  readonly #options: EventStoreDoubleOptions;
  #server: Server | undefined;
  #port: number;

  constructor(options: EventStoreDoubleOptions = {}) {
    this.#options = options;
    this.#port = options.port ?? 0;
    this.#log = new DoubleLog(options.file);
  }

  /** For the client, from the first start on the same. */
  get address(): string {
    return `esdb://127.0.0.1:${this.#port}?tls=false`;
  }

  /** Listens, again too. */
  async start(): Promise<this> {
    const server = new Server();
    this.#server = server;
    server.addService(StreamsService, this.#streams());
    server.addService(ServerFeaturesService, { getSupportedMethods: this.#answerFeatures });
    server.addService(GossipService, { read: this.#answerGossip });
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    server.bindAsync(`127.0.0.1:${this.#port}`, ServerCredentials.createInsecure(), (error, port) =>
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
    this.#log.close();
  }

  #streams(): UntypedServiceImplementation {
    const appends = new DoubleAppends(this.#log, this.faults, this.#options.maxAppendSize ?? 1024 * 1024);
    const read = (call: ReadCall): void => {
      answerRead(this.#log, this.faults, call).catch((error: unknown) => call.emit('error', error));
    };
    const append = (call: AppendCall, answer: sendUnaryData<streams.AppendResp>): void =>
      appends.answerAppend(call, answer);
    const batchAppend = (call: BatchAppendCall): void => appends.answerBatchAppend(call);
    return this.#options.withoutBatchAppend ? { read, append } : { read, append, batchAppend };
  }

  readonly #answerFeatures = (_call: unknown, answer: sendUnaryData<features.SupportedMethods>): void => {
    const methods = this.#options.withoutBatchAppend ? ['read', 'append'] : ['read', 'append', 'batchappend'];
    this.#answer(
      answer,
      new features.SupportedMethods()
        .setEventStoreServerVersion('24.10.0')
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
    const leader = new gossip.MemberInfo()
      .setInstanceId(new shared.UUID().setString('00000000-0000-4000-8000-000000000001'))
      .setTimeStamp('0')
      .setState(gossip.MemberInfo.VNodeState.LEADER)
      .setIsAlive(true)
      .setHttpEndPoint(new gossip.EndPoint().setAddress('127.0.0.1').setPort(this.#port));
    this.#answer(answer, new gossip.ClusterInfo().setMembersList([leader]));
  };

  #answer<Message>(answer: sendUnaryData<Message>, message: Message): void {
    this.faults.answering().then(
      () => answer(null, message),
      (error: ServiceError) => answer(error),
    );
  }
}
