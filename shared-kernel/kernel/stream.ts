import { defined } from '#kernel/defined.ts';
import type { Command, Decider } from './decider.ts';
import type { DomainEvent, Recorded } from './event.ts';

/**
 * A stream definition: its rules, and what deciding a command needs from outside. `Sources` is where that
 * comes from (prices, settings, the clock).
 */
export interface StreamDefinition<State, Cmd extends Command, Event extends DomainEvent, Context, Sources> {
  readonly decider: Decider<State, Cmd, Event, Context>;
  /** Collects the context of a command, again for every decision. No I/O. Absent: the rules need nothing. */
  readonly context?: (sources: Sources, command: Cmd, id: string) => (state: State) => Context;
  /** True for a command with which a stream usually begins: nothing is read before the append, which finds out. */
  readonly begins?: (command: Cmd) => boolean;
  /** True for a command after which hardly anybody asks the stream: its state is not kept, and pushes none out. */
  readonly ends?: (command: Cmd) => boolean;
}

/** A stream definition whose types have been checked where a command for it was named. */
export type AnyStreamDefinition = StreamDefinition<unknown, Command, DomainEvent, unknown, never>;

/** What has come of a command. */
export interface CommandResult<State, Event extends DomainEvent> {
  /** The state after it (and after commands that shared its append). The next command may change it in place. */
  readonly state: State;
  /** Revision of the stream's last event, NO_STREAM (-1) when it has none. */
  readonly revision: number;
  /** Position of the command's last event; for "already so" the position that the answer reflects. */
  readonly position: number;
  /**
   * What it appended, at the position of the append; for a repeat what the first run appended; empty for "already so".
   */
  readonly events: readonly Recorded<Event>[];
}

/** A command and the stream it goes to. */
export interface StreamCommand<Result = unknown> {
  /** Never set: the type of what comes back. */
  readonly resultType?: Result;
  readonly definition: AnyStreamDefinition;
  readonly id: string;
  readonly command: Command;
  /** By which a repeat is recognised, where the command has no business key of its own. */
  readonly commandId?: string;
}

/** Names a command for a stream; typed by the kind. */
export const to = <State, Cmd extends Command, Event extends DomainEvent, Context, Sources>(
  definition: StreamDefinition<State, Cmd, Event, Context, Sources>,
  id: string,
  command: Cmd,
  commandId?: string,
): StreamCommand<CommandResult<State, Event>> => ({
  definition: definition as unknown as AnyStreamDefinition,
  id,
  command,
  ...defined({ commandId }),
});
