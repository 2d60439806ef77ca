import { setTimeout as sleep } from 'node:timers/promises';

import type { Db, MongoClient } from 'mongodb';

import { EngineUnavailable } from '#ports/engine-errors.ts';
import { DocumentIndexes } from './document-indexes.ts';
import { asPortError } from './mongo-errors.ts';

/** Longest wait for an answer, in milliseconds: as long as a request may wait for all that it needs. */
export const responseTimeout = 6500;
/** A server that is merely slow must not be asked for new connections all the time. */
const renewEvery = 15_000;
const knockEvery = 100;

interface Connected {
  readonly client: MongoClient;
  readonly createClient: () => MongoClient;
  readonly database: string;
  /** After this long without an answer a new client looks for the server beside the old one. */
  readonly renewAfterMilliseconds: number;
}

/** A database that is asked, by a client that another one may take the place of. */
export class MongoConnection {
  readonly #connected: Connected;
  readonly #clients = new Set<MongoClient>();
  #db: Db;
  #indexes: DocumentIndexes;
  readonly #underWay = new Set<Promise<unknown>>();
  #answeredAt = performance.now();
  #renewedAt = -Infinity;
  /** Set while a new client looks for the server. */
  #renewal: Promise<void> | null = null;
  #closing: Promise<void> | null = null;

  constructor(connected: Connected) {
    this.#connected = connected;
    this.#clients.add(connected.client);
    this.#db = connected.client.db(connected.database);
    this.#indexes = new DocumentIndexes(this.#db);
  }

  get db(): Db {
    return this.#db;
  }

  /** What this process knows of the indexes there. */
  get indexes(): DocumentIndexes {
    return this.#indexes;
  }

  /** Errors: `EngineUnavailable` after `timeout` milliseconds without an answer; those of the port. */
  async ask<Answer>(question: () => Promise<Answer>, timeout = responseTimeout): Promise<Answer> {
    if (this.#closing) throw new EngineUnavailable('the document store is closed');
    const answer = inTime(question(), timeout);
    this.#underWay.add(answer);
    try {
      const answered = await answer;
      this.#answeredAt = performance.now();
      return answered;
    } catch (error) {
      const problem = asPortError(error);
      if (problem instanceof EngineUnavailable) this.#renewIfStuck();
      throw problem;
    } finally {
      this.#underWay.delete(answer);
    }
  }

  /** Lets what is under way end first. */
  close(): Promise<void> {
    this.#closing ??= Promise.allSettled(this.#underWay).then(async () => {
      await this.#closeClients();
      await this.#renewal;
    });
    return this.#closing;
  }

  /**
   * The driver's client has been seen not to find a server again that was back and served every other client. So
   * where nothing answers, a new one looks for the server, and takes over once it has found it: never before, as a
   * client whose first connection fails is closed for good.
   */
  #renewIfStuck(): void {
    const now = performance.now();
    const { renewAfterMilliseconds } = this.#connected;
    if (this.#closing || this.#renewal || now - this.#answeredAt < renewAfterMilliseconds) return;
    if (now - this.#renewedAt < Math.min(renewEvery, 5 * renewAfterMilliseconds)) return;
    this.#renewal = this.#renew(this.#answeredAt).finally(() => (this.#renewal = null));
  }

  /** Knocks until the server answers this client or has answered the old one. */
  async #renew(answeredAt: number): Promise<void> {
    const isWanted = (): boolean => !this.#closing && this.#answeredAt === answeredAt;
    while (isWanted()) {
      const old = [...this.#clients];
      const client = this.#connected.createClient();
      this.#clients.add(client);
      const isThere = await client.connect().then(
        () => true,
        () => false,
      );
      if (isThere && isWanted()) return this.#takeOver(client, old);
      await this.#closeClients([client]);
      if (isWanted()) await sleep(knockEvery, undefined, { ref: false });
    }
  }

  /** The old clients are closed once no call can be waiting for them. */
  #takeOver(client: MongoClient, old: readonly MongoClient[]): void {
    this.#renewedAt = performance.now();
    this.#db = client.db(this.#connected.database);
    this.#indexes = new DocumentIndexes(this.#db);
    setTimeout(() => void this.#closeClients(old), 2 * responseTimeout).unref();
  }

  async #closeClients(clients: readonly MongoClient[] = [...this.#clients]): Promise<void> {
    for (const client of clients) this.#clients.delete(client);
    await Promise.allSettled(clients.map((client) => client.close()));
  }
}

export async function inTime<Answer>(answer: Promise<Answer>, milliseconds: number): Promise<Answer> {
  if (milliseconds === Infinity) return answer;
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new EngineUnavailable(`the document store did not answer within ${milliseconds} ms`)),
    milliseconds,
  );
  try {
    return await Promise.race([answer, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
