import type { Recorded } from './event.ts';
import type { Rejection } from './rejection.ts';
import type { StreamCommand } from './stream.ts';

/** A call to the outside, by its name; the service that runs the process knows what to do. */
export interface Call {
  readonly call: string;
  readonly input: unknown;
}

/** What a step sends: a command to a stream, or a call. */
export type ProcessCommand = StreamCommand | Call;

/** A refusal as the caller reads it. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/**
 * One step of a process, and what takes it back. Each command is idempotent by a business key, so that the steps can be
 * sent again from the first one. All functions are pure.
 */
export interface ProcessStep<Start, Memory> {
  readonly name: string;
  /** Sent together and waited for; none: the step is passed over. */
  readonly commands: (start: Start, memory: Memory) => readonly ProcessCommand[];
  /** What later steps need of the results, which are in the order of the commands. */
  readonly results?: (memory: Memory, results: readonly unknown[]) => Memory;
  /** Takes the step back. Harmless where there is nothing to take back. */
  readonly compensate?: (start: Start, memory: Memory) => readonly ProcessCommand[];
  /** What a refusal of one of its commands means to the caller. */
  readonly explains?: (refusal: Refusal, command: ProcessCommand, start: Start) => Refusal;
  /** The business is done: a refusal changes nothing any more. */
  readonly isTidyingUp?: true;
}

/** What an event means for an instance. */
export type Effect = 'opens' | 'ends';

/**
 * A process finishes what spans several streams. It reads from top to bottom: the events that open and end it, its
 * steps in their order, and how it ends. A refusal takes back every step, unless it came before the first step that can
 * be taken back: then there is nothing to undo.
 */
export interface Process<Start, Memory> {
  readonly name: string;
  /** By event type, what it means for the instance whose id is that of the event's stream; null: nothing. */
  readonly on: Readonly<Record<string, Effect | ((event: Recorded) => Effect | null)>>;
  /** Ends an instance from another stream, by event type; names the instance. */
  readonly endsElsewhere?: Readonly<Record<string, (event: Recorded) => string>>;
  readonly begins: (start: Start) => Memory;
  readonly steps: readonly ProcessStep<Start, Memory>[];
  /**
   * How commands refuse a driver that another one has replaced: it stops and takes nothing back. Null: any number may
   * drive an instance.
   */
  readonly takenOver: (() => Rejection) | null;
  /** The command that ends it well; null: its last step has. */
  readonly completes: ((start: Start, memory: Memory) => ProcessCommand) | null;
  /** The command that ends it after a refusal. Null: the caller handles it, and the instance stays open. */
  readonly fails: ((start: Start, refusal: Refusal, hasCompensated: boolean) => ProcessCommand) | null;
}
