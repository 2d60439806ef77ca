import type { Logger } from 'pino';
import type { Clock } from '#kernel/clock.ts';
import type { EventCodec } from '#log/codec.ts';
import type { StoppedAt } from '#log/feed-follower.ts';
import type { ForgettingWatch } from '#log/forgetting-watch.ts';
import type { ReadUpTo } from '#log/share-read.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { EventStore } from '#ports/event-store.ts';
import { REQUEST_MILLISECONDS } from '#runtime/request-deadline.ts';
import type { TextCipher } from '#values/text-cipher.ts';
import type { BeforeHook } from './hooks.ts';

/** Reference state that follows the log: how far it is. */
export interface FollowedReference {
  position(): number;
  /** False after `timeoutMs` of real time. */
  waitFor(position: number, timeoutMs: number): Promise<boolean>;
  /** How far it is to where the log ended at the start; null once it has been there. */
  catchingUp(): ReadUpTo | null;
  /** Where it stands still, at an event that it cannot take; null while it follows. */
  stopped(): StoppedAt | null;
}

export interface EngineLimits {
  /** Streams whose state is kept in memory. Default 4,000. */
  readonly cachedStreams?: number;
  /** How often a caller's command is decided again after a conflict. Default 5. */
  readonly conflictRetries?: number;
  /** How long a step of a process is decided again. Default 5 s of real time. */
  readonly processStepMs?: number;
  /** How long an append whose outcome is unknown is tried again, from the request's arrival. Default 7 s, real time. */
  readonly unknownOutcomeMs?: number;
  /** How long a refusal waits for reference state. Default 5 s of real time. */
  readonly referenceMs?: number;
}

export const defaultLimits: Required<EngineLimits> = {
  cachedStreams: 4000,
  conflictRetries: 5,
  processStepMs: 5000,
  unknownOutcomeMs: REQUEST_MILLISECONDS,
  referenceMs: 5000,
};

export interface CommandEngineOptions {
  readonly store: EventStore;
  readonly codec: EventCodec;
  /** Keeps the snapshots of long streams. */
  readonly stateStore: DocumentStore;
  /** What is known of streams may be personal to someone who is forgotten: all are read again then. */
  readonly forgetting?: Pick<ForgettingWatch, 'onForgotten'>;
  /** Encrypts those snapshots of streams with secrets. */
  readonly secrets: TextCipher;
  readonly clock: Clock;
  readonly reference?: FollowedReference;
  readonly hooks?: readonly BeforeHook[];
  readonly limits?: EngineLimits;
  readonly log?: Pick<Logger, 'warn'>;
  /** Told of every append how long the log took. */
  readonly onAppended?: (seconds: number) => void;
}
