import type { Recorded } from './event.ts';
import type { Rejection } from './rejection.ts';
import type { StreamCommand } from './stream.ts';

/** A call to the outside, by its name; the service that runs the process knows what to do. */
export interface Call<Result = unknown> {
  readonly call: string;
  readonly input: unknown;
  /** Never set: the type of what comes back. */
  readonly resultType?: Result;
}

type AnyCall = (input: never) => Promise<unknown>;
export type InputOf<One> = One extends (input: infer Input) => Promise<unknown> ? Input : never;
export type ResultOf<One> = One extends (input: never) => Promise<infer Result> ? Result : never;

/** Names the calls of a process by what carries them out: `const call = callsOf<PlacementCalls>()`. */
export const callsOf =
  <Calls extends { readonly [Name in keyof Calls]: AnyCall }>() =>
  <Name extends keyof Calls & string>(
    call: Name,
    input: InputOf<Calls[Name]>,
  ): Call<ResultOf<Calls[Name]>> => ({ call, input });

/** What a step sends: a command to a stream, or a call. */
export type ProcessCommand<Result = unknown> = StreamCommand<Result> | Call<Result>;

/** A command of whose result something is kept for later steps. */
export interface RememberedCommand<Memory> {
  readonly sends: ProcessCommand;
  readonly remembers: (memory: Memory, result: never) => Memory;
}

/** Sends a command, and keeps what later steps need of its result. */
export const remember = <Memory, Result>(
  sends: ProcessCommand<Result>,
  remembers: (memory: Memory, result: Result) => Memory,
): RememberedCommand<Memory> => ({ sends, remembers });

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
  readonly commands: (
    start: Start,
    memory: Memory,
  ) => readonly (ProcessCommand | RememberedCommand<Memory>)[];
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
  /** Whether the caller is answered without waiting for that command: the instance is open until it is in the log. */
  readonly completesAfterwards?: (start: Start) => boolean;
  /** The command that ends it after a refusal. Null: the caller handles it, and the instance stays open. */
  readonly fails: ((start: Start, refusal: Refusal, hasCompensated: boolean) => ProcessCommand) | null;
}
