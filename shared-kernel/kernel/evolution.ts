import type { DomainEvent, EventOfType } from './event.ts';

/** What each event of a union makes of a state. A type that is left out does not compile; see `unchanged`. */
export type Evolution<State, Event extends DomainEvent> = {
  readonly [Type in Event['type']]: (state: State, event: EventOfType<Event, Type>) => State;
};

/** For events that leave the state as it is. */
export const unchanged = <State>(state: State): State => state;

type AnyEvolution<State> = Readonly<Record<string, ((state: State, event: never) => State) | undefined>>;

/** The state after one more event; as it is after an event that the table does not know. */
export const evolve = <State, Event extends DomainEvent>(
  on: Evolution<State, Event>,
  state: State,
  event: Event,
): State => (on as AnyEvolution<State>)[event.type]?.(state, event as never) ?? state;
