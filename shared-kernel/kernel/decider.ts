import type { DomainEvent } from './event.ts';
import { evolve, type Evolution } from './evolution.ts';

/** A wish; may be refused. `type` is imperative: `AddBasketLine`. */
export interface Command<Type extends string = string> {
  readonly type: Type;
}

/**
 * The rules of one noun. Pure: no I/O, no clock, no chance.
 *
 * `decide` returns the events that the command causes, `[]` for "already so", or throws a `Rejection`. It never changes
 * the state it is given. `on` is total: it checks no rule. State is plain JSON, so that it can be a snapshot. `on` owns
 * the state it is given and may reuse it: the engine never looks at the older one again and reloads after a failed
 * append.
 */
export interface Decider<State, Cmd extends Command, Event extends DomainEvent, Context = void> {
  /** Stream category, camelCase: the stream of an id is `<category>-<id>`. */
  readonly category: string;
  readonly initial: () => State;
  readonly decide: (state: State, command: Cmd, context: Context) => readonly Event[];
  readonly on: Evolution<State, Event>;
  /**
   * Long streams only: a snapshot is kept after this many events. Raise `version` when the shape or the meaning of
   * State changes; a change of the events' schemas does so by itself.
   */
  readonly snapshot?: { readonly version: number; readonly every: number };
  /**
   * True for small streams: the engine remembers every command id of the stream and recognises a repeat. Long streams
   * recognise a repeat by a business key in their own state instead, or remember a number of recent ids.
   */
  readonly remembersCommands: boolean | { readonly last: number };
  /**
   * The data subject of the stream's events, told from the state after the event: under its key personal fields are
   * encrypted. `customerId` names the customer that a basket turned out to belong to, so that forgetting reaches both.
   */
  readonly subject?: (id: string, state: State) => DataSubject;
}

export interface DataSubject {
  readonly id: string;
  readonly customerId?: string | null;
}

/** One rule for each command of a union. A command that is left out does not compile. */
export type Rules<State, Cmd extends Command, Event extends DomainEvent, Context> = {
  readonly [Type in Cmd['type']]: (
    state: State,
    command: Extract<Cmd, Command<Type>>,
    context: Context,
  ) => readonly Event[];
};

type AnyRules<State, Event, Context> = Readonly<
  Record<string, (state: State, command: never, context: Context) => readonly Event[]>
>;

/** Decides each command by its rule. */
export const decideBy =
  <State, Cmd extends Command, Event extends DomainEvent, Context>(
    rules: Rules<State, Cmd, Event, Context>,
  ): Decider<State, Cmd, Event, Context>['decide'] =>
  (state, command, context) => {
    const rule = (rules as AnyRules<State, Event, Context>)[command.type];
    if (!rule) throw new TypeError(`no rule for ${command.type}`);
    return rule(state, command as never, context);
  };

/** Folds a history, for tests and for readers of one stream. */
export const fold = <State, Cmd extends Command, Event extends DomainEvent, Context>(
  decider: Decider<State, Cmd, Event, Context>,
  events: Iterable<Event>,
): State => {
  let state = decider.initial();
  for (const event of events) state = evolve(decider.on, state, event);
  return state;
};
