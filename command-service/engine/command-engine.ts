import type { Command, Decider } from '#kernel/decider.ts';
import type { Actor, DomainEvent } from '#kernel/event.ts';
import type { Reached } from '#kernel/reached.ts';
import type { CommandResult } from '#kernel/stream.ts';

/** Who asks and on behalf of what; stands in the metadata of every event that the command causes. */
export interface CommandMeta {
  readonly correlationId: string;
  /** The event or request that led to the command. */
  readonly causationId: string;
  readonly actor: Actor;
  /**
   * Present when a repeat must be recognised: UUIDv5 of the caller's scope and idempotency key, or of a process step.
   * Names one command of a stream: a second one under the same id would pass for its repeat.
   */
  readonly commandId?: string;
  /** When the request came for which this is done, in `performance.now()`: all of it has one deadline. */
  readonly askedAt?: number;
  /** Of the body that the id stands for. A repeat with another one is refused, however much later it comes. */
  readonly bodyFingerprint?: string;
  /** Of the request for which this is done: every command moves it on. */
  readonly reached?: Reached;
}

/** A command that has been carried out. */
export interface Executed<State, Event extends DomainEvent> extends CommandResult<State, Event> {
  readonly isRepeat: boolean;
}

/** A stream's state, and the revision and position of its last event. */
export interface Loaded<State> {
  readonly state: State;
  readonly revision: number;
  readonly position: number;
}

/**
 * `never`: the rules need nothing of it. `to a refusal`: a change would be decided on reference state as this process
 * has it, and that there is nothing to change may be so, too.
 */
export type ReferenceMatters = 'never' | 'to a refusal' | 'always';

export interface ExecuteRequest<State, Cmd extends Command, Event extends DomainEvent, Context> {
  readonly decider: Decider<State, Cmd, Event, Context>;
  readonly id: string;
  readonly command: Cmd;
  /** Collects what decide needs from outside; called again for every decision. No I/O. */
  readonly context: (state: State) => Context;
  readonly meta: CommandMeta;
  /** Steps of a process try conflicts again until a deadline instead of five times. */
  readonly isProcessStep?: boolean;
  /**
   * The id was made for this command: most likely the stream is not there yet. Nothing is read before the append, which
   * finds out; without one, the stream is looked at before anything is answered. `perhaps`: it may well be there; only
   * where a read takes as long as an append.
   */
  readonly isNewId?: boolean | 'perhaps';
  /**
   * To which answers without events newer reference state could make a difference: those wait for it. Default: to all.
   */
  readonly referenceMatters?: ReferenceMatters;
  /** The stream is unlikely to be needed again soon: going through many once evicts none that are in use. */
  readonly isLast?: boolean;
}

/**
 * Runs commands: one mailbox per stream, batched decide and append, conflict retry (docs/architecture.md#a-command).
 */
export interface CommandEngine {
  /** Whether the owner's hooks may object to commands: then what comes before one asks them first. */
  readonly isHooked: boolean;
  /**
   * Errors: what `decide` throws (Rejection); Rejection `conflict` when others were faster too often, `cancelled` when
   * a before-hook objects, `idempotency-key-reused` for a known command id with another body, `unknown-event-type` for
   * a stream of a newer release; `EngineUnavailable`.
   */
  execute<State, Cmd extends Command, Event extends DomainEvent, Context>(
    request: ExecuteRequest<State, Cmd, Event, Context>,
  ): Promise<Executed<State, Event>>;
  /**
   * Decides without recording anything: throws what `execute` would, for those who would do something else first that a
   * refusal must not leave behind. The command itself may still be refused, by what happens meanwhile.
   */
  rehearse<State, Cmd extends Command, Event extends DomainEvent, Context>(
    request: ExecuteRequest<State, Cmd, Event, Context>,
  ): Promise<void>;
  /** The state of a stream as it is now, from the cache, a snapshot and the stream's tail. */
  load<State, Cmd extends Command, Event extends DomainEvent, Context>(
    decider: Decider<State, Cmd, Event, Context>,
    id: string,
  ): Promise<Loaded<State>>;
  /**
   * The same as `recall`, at once and without a turn in the stream's queue; undefined where nothing is known. It may
   * show what is just being appended.
   */
  peek<State, Cmd extends Command, Event extends DomainEvent, Context>(
    decider: Decider<State, Cmd, Event, Context>,
    id: string,
  ): State | undefined;
  /**
   * What `load` would return, without waiting; undefined where that takes a read or a turn in the stream's queue, as
   * it always does where other processes write the log.
   */
  settled<State, Cmd extends Command, Event extends DomainEvent, Context>(
    decider: Decider<State, Cmd, Event, Context>,
    id: string,
  ): State | undefined;
  /**
   * The state as this process knows it: what others have appended since may be missing. It is read only when nothing is
   * known. For those whose next command to the stream would meet a conflict, and for what never changes.
   */
  recall<State, Cmd extends Command, Event extends DomainEvent, Context>(
    decider: Decider<State, Cmd, Event, Context>,
    id: string,
  ): Promise<Loaded<State>>;
}
