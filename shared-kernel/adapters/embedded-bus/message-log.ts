import type { BusMessage, ReceivedMessage } from '#ports/bus.ts';

export interface AddressedMessage extends BusMessage {
  readonly partition: number;
}

export interface GroupPartition {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
}

/** How much one page holds at most; a page with anything in it holds at least one message. */
export interface PageLimit {
  readonly messages: number;
  /** Length of the values in all. */
  readonly characters: number;
}

/**
 * Where an embedded bus keeps its messages and how far each group has come. Only one process has it open. Reads answer
 * at once. Errors: `EngineUnavailable`.
 */
export interface MessageLog {
  /** How many partitions the topic has: 0 where it was not declared. */
  partitions(topic: string): number;
  /** Partitions are added, never taken away. */
  declare(topic: string, partitions: number): Promise<void>;
  /** All or nothing. Appends resolve in the order in which they were asked for. */
  append(topic: string, messages: readonly AddressedMessage[]): Promise<void>;
  /** What the partition still holds from an offset on, oldest first. */
  page(topic: string, partition: number, from: number, limit: PageLimit): readonly ReceivedMessage[];
  /** From now on the log holds for the group what it has not committed. */
  join(group: string, topic: string): Promise<void>;
  /** `next` is the offset after the last message that was handled. Never goes back. */
  commit(place: GroupPartition, next: number): Promise<void>;
  committed(place: GroupPartition): number;
  /** Messages of a partition at or after an offset. */
  countFrom(topic: string, partition: number, from: number): number;
  ping(): Promise<void>;
  close(): Promise<void>;
}
