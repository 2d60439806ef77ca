/** A message to publish. Messages with the same key stay in order. */
export interface BusMessage {
  readonly key: string;
  /** UTF-8 text, handed on byte for byte. */
  readonly value: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A message as a consumer gets it. `offset` counts within its partition and only grows. */
export interface ReceivedMessage extends BusMessage {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

export interface ConsumeOptions {
  readonly topic: string;
  /**
   * Consumers with the same group share the partitions; each group sees every message, a new one from the oldest that
   * the engine still keeps.
   */
  readonly group: string;
  /**
   * Called with one message at a time for each partition, partitions side by side. Resolved: committed. Thrown:
   * delivered again after a pause; what follows in that partition waits. Must be short: work that takes long is queued
   * elsewhere.
   */
  readonly handle: (message: ReceivedMessage) => Promise<void>;
  /** Called when the group has shared its partitions out again: `holds` may answer differently. */
  readonly onShared?: () => void;
}

export interface Consumer {
  /**
   * Whether messages under this key come here, and to no other consumer of the group, as far as this one has heard. One
   * that was cut off holds what it held, until it has joined again.
   */
  holds(key: string): boolean;
  /** Nothing is delivered until `resume`; what is being handled goes on. */
  pause(): void;
  resume(): void;
  /**
   * Waits for what is being handled, commits and leaves the group; a handler must not wait for its own stop. Throws
   * `EngineUnavailable` when the commit fails: it has left, and what it handled last may come again.
   */
  stop(): Promise<void>;
}

/**
 * Messages between processes: keyed, partitioned, at least once, in order per key. A publish that resolved survives a
 * crash (on engines that are durable). A topic is declared before its use; an unknown one is a plain `Error`. Errors:
 * `EngineUnavailable`.
 */
export interface Bus {
  /**
   * Creates a topic where it is missing. Repeatable; partitions are never taken away. Where some are added, the order
   * per key holds only among the messages published afterwards. Throws `RangeError` for a name other than letters,
   * digits, `.`, `_` and `-`, or less than one partition.
   */
  declareTopic(topic: string, partitions: number): Promise<void>;
  publish(topic: string, messages: readonly BusMessage[]): Promise<void>;
  consume(options: ConsumeOptions): Promise<Consumer>;
  /** Messages of a topic that a group has not committed yet. */
  lag(topic: string, group: string): Promise<number>;
  /** Throws `EngineUnavailable` when the engine does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
