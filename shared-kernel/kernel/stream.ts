import { defined } from '#kernel/defined.ts';
import type { Command, Decider } from './decider.ts';
import type { DomainEvent } from './event.ts';

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

/** A command and the stream it goes to. */
export interface StreamCommand {
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
): StreamCommand => ({
  definition: definition as unknown as AnyStreamDefinition,
  id,
  command,
  ...defined({ commandId }),
});
