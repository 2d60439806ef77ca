import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { KafkaClient } from './kafka-client.ts';
import { portErrorOf, within } from './kafka-errors.ts';

/** What kafkajs calls an admin or a producer. */
interface Connectable {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
}

interface Opened<Role> {
  readonly role: Role;
  readonly client: KafkaClient;
  readonly connected: Promise<void>;
}

const CLOSING_MILLISECONDS = 2000;

/**
 * One admin or producer of kafkajs, connected at its first use. Once it has not answered it is thrown away with its
 * connections, so that none of its tries comes through later, and the next question gets a new one.
 */
export class KafkaConnection<Role extends Connectable> {
  readonly #createClient: () => KafkaClient;
  readonly #roleOf: (client: KafkaClient) => Role;
  #opened: Opened<Role> | null = null;

  constructor(createClient: () => KafkaClient, roleOf: (client: KafkaClient) => Role) {
    this.#createClient = createClient;
    this.#roleOf = roleOf;
  }

  /** Asks, once connected. Throws what the port throws; `what` completes the sentence "Kafka cannot …". */
  async ask<T>(what: string, milliseconds: number, question: (role: Role) => Promise<T>): Promise<T> {
    const opened = (this.#opened ??= this.#open());
    try {
      return await within(
        milliseconds,
        what,
        opened.connected.then(() => question(opened.role)),
      );
    } catch (error) {
      const problem = portErrorOf(error, what);
      if (problem instanceof EngineUnavailable) {
        opened.client.cut();
        void this.#close(opened);
      }
      throw problem;
    }
  }

  /** The next question gets a new connection. */
  async close(): Promise<void> {
    if (this.#opened) await this.#close(this.#opened);
  }

  #open(): Opened<Role> {
    const client = this.#createClient();
    const role = this.#roleOf(client);
    return { role, client, connected: role.connect() };
  }

  async #close(opened: Opened<Role>): Promise<void> {
    if (this.#opened === opened) this.#opened = null;
    await closed(opened.role, opened.client);
  }
}

/** Says goodbye; where that takes too long, without waiting for an answer. Never throws. */
export const closed = async (
  role: Pick<Connectable, 'disconnect'>,
  client: KafkaClient,
  milliseconds: number = CLOSING_MILLISECONDS,
): Promise<void> => {
  await within(milliseconds, 'close', role.disconnect()).catch(() => client.cut());
};
