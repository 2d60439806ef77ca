import { connect as connectPlain, isIP, Socket } from 'node:net';
import { connect as connectEncrypted } from 'node:tls';
import { Kafka, logLevel, type ISocketFactory, type RetryOptions } from 'kafkajs';
import type { KafkaSettings } from './kafka-address.ts';
import { quietRequestQueues } from './quiet-request-queue.ts';

/** A client of kafkajs that can be disposed of in any state. */
export interface KafkaClient {
  readonly kafka: Kafka;
  /** Ends every connection at once and for good, so that everything that waits or retries fails. */
  cut(): void;
}

const CONNECTION_MILLISECONDS = 2000;
const REQUEST_MILLISECONDS = 4000;
const KEEP_ALIVE_MILLISECONDS = 30_000;

/** Enough for a change of leader. The caller has a time limit besides, and tries again after that. */
const retry: RetryOptions = { initialRetryTime: 100, maxRetryTime: 1000, retries: 8 };

/** Opens connections that can be cut off all at once, and none any more after that. */
class Connections {
  readonly #open = new Set<Socket>();
  #isCut = false;

  readonly connect: ISocketFactory = ({ host, port, ssl, onConnect }) => {
    const socket = this.#isCut
      ? new Socket()
      : ssl
        ? connectEncrypted({ host, port, ...(!isIP(host) && { servername: host }), ...ssl }, onConnect)
        : connectPlain({ host, port }, onConnect);
    socket.setKeepAlive(true, KEEP_ALIVE_MILLISECONDS);
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
    // Not at once: kafkajs has yet to listen for errors.
    if (this.#isCut) setImmediate(() => this.cut());
    return socket;
  };

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#open) socket.destroy(new Error('the connection was given up'));
  }
}

export const createKafkaClient = (settings: KafkaSettings): KafkaClient => {
  quietRequestQueues();
  const connections = new Connections();
  const { brokers, clientId, isEncrypted, login } = settings;
  const kafka = new Kafka({
    brokers: [...brokers],
    clientId,
    ssl: isEncrypted,
    ...(login && { sasl: login }),
    connectionTimeout: CONNECTION_MILLISECONDS,
    authenticationTimeout: REQUEST_MILLISECONDS,
    requestTimeout: REQUEST_MILLISECONDS,
    retry,
    socketFactory: connections.connect,
    // What it could not do is thrown. To look for a fault inside it, set KAFKAJS_LOG_LEVEL=debug.
    logLevel: logLevel.NOTHING,
  });
  return { kafka, cut: () => connections.cut() };
};
