import type { Attempted } from './receiver-queue.ts';

/** A delivery that has been claimed for one attempt; `send` makes it. */
export interface Claimed {
  send(): Promise<'succeeded' | 'failed'>;
}

export interface DeliveryQueuesOptions {
  /** Takes the delivery for one attempt; null when there is nothing to do. Errors: `EngineUnavailable`. */
  readonly claim: (deliveryId: string) => Promise<Claimed | null>;
  /** Ids of a receiver's deliveries that have not been tried yet, in order. Errors: `EngineUnavailable`. */
  readonly untried: (key: string, limit: number) => Promise<readonly string[]>;
  /** Likewise of those that a replay has queued, which come after all others. It may return fewer than there are. */
  readonly replayed?: (key: string, limit: number) => Promise<readonly string[]>;
  readonly onError: (key: string, error: unknown) => void;
  /** Ids that wait in memory for one receiver at most; the rest waits in its rows. Default 256. */
  readonly capacity?: number;
  /** The host that a receiver is at; null when it is not known. Default: each has one of its own. */
  readonly hostOf?: (key: string) => string | null;
  /** Attempts that may be under way to a receiver now; 0 while its deliveries wait. Default: 32. */
  readonly atOnceTo?: (key: string) => number;
  /** Attempts under way in all. Default 512. */
  readonly inFlightAtMost?: number;
  /** Whether there is no such receiver any more: its queue is forgotten once it is empty. Default: none is. */
  readonly isGone?: (key: string) => boolean;
  /** Receivers come from other processes, which may have left rows older than what is offered. Default false. */
  readonly isShared?: boolean;
}

/** What waits in memory and what is under way. */
export interface QueueFigures {
  readonly receivers: number;
  readonly waiting: number;
  readonly inFlight: number;
  /** Claims since the start that another worker had made before, or that could not be made. */
  readonly failedClaims: number;
}

/** Deliveries of this process on their way, a queue for each receiver (a subscription). */
export interface DeliveryQueues {
  /** A new delivery. What does not fit is fetched by its row when there is room again, in order. */
  offer(key: string, deliveryId: string): void;
  /** One that is due again, beside the new ones. Null: there is no room, or it is here. */
  retry(key: string, deliveryId: string): Promise<Attempted> | null;
  /** Looks for rows that were not offered here, and begins what may begin now: after a start or a change. */
  catchUp(key: string): void;
  /** Does so for receivers whose rows could not be read or claimed. */
  catchUpStalled(): void;
  /** Looks for rows that a replay has queued. */
  takeReplayed(key: string): void;
  /** Forgets what waits here for a receiver that another process sends to from now on. */
  release(key: string): void;
  /** True once nothing waits in memory or is under way; false after `timeoutMs` of real time. */
  quiet(timeoutMs: number): Promise<boolean>;
  figures(): QueueFigures;
  /** Whether something is about to be sent, other than what a replay has queued. */
  isClaiming(): boolean;
  /** Starts nothing more and waits for what is under way. */
  stop(): Promise<void>;
}
