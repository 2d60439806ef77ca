import type { Decider } from './decider.ts';
import {
  abandonCreation,
  onCreationAbandoned,
  refuseAbandoned,
  type AbandonCreation,
  type NotThere,
} from './creation.ts';
import type { DomainEvent, EventOfType } from './event.ts';
import type { Evolution } from './evolution.ts';
import { invalidRequest, Rejection } from './rejection.ts';
import { isSameJson } from './same-json.ts';

/** Something that the backoffice keeps: its fields, and when it was made and last changed (ISO instants). */
export interface Entity<Fields> {
  readonly id: string;
  readonly fields: Fields;
  readonly dateCreated: string;
  readonly dateUpdated: string;
}

export type EntityState<Fields> =
  | NotThere
  | {
      readonly status: 'present';
      readonly fields: Fields;
      readonly dateCreated: string;
      readonly dateUpdated: string;
    };

/** `New`: what a creation is given. */
export type EntityCommand<Fields, New = Fields> =
  /** `abandonedBefore`: how often its creation had been given up when its values were claimed. */
  | { readonly type: 'Create'; readonly fields: New; readonly abandonedBefore?: number }
  | AbandonCreation
  /** Replaces the given fields. */
  | { readonly type: 'Change'; readonly changes: Partial<New> & Partial<Fields> }
  | { readonly type: 'Delete' };

export interface EntityContext<Fields> {
  readonly at: string;
  /** What is wrong with the fields as a whole or with what they name, as `path: what was expected`. */
  readonly problems: (fields: Fields) => readonly string[];
  /** What would be left hanging, in words; asked before a deletion. */
  readonly dependents: () => readonly string[];
}

/** A rule on some fields: it can be asked as soon as these are fine each by itself. */
export interface FieldRule<Fields> {
  readonly on: readonly (keyof Fields)[];
  /** As `path: what was expected`. */
  readonly problems: (fields: Fields) => readonly string[];
}

/** Declares rules on the fields of a kind; each sees no other fields than it names. */
export const rulesOn =
  <Fields>() =>
  <const Name extends keyof Fields>(
    on: readonly Name[],
    problems: (fields: Pick<Fields, Name>) => readonly string[],
  ): FieldRule<Fields> => ({ on, problems });

/** What the rules say of fields, some of which may be missing: rules on those are not asked. */
export const problemsOf = <Fields>(
  rules: readonly FieldRule<Fields>[],
  fields: Partial<Fields>,
): readonly string[] =>
  rules
    .filter(({ on }) => on.every((field) => fields[field] !== undefined))
    .flatMap(({ problems }) => problems(fields as Fields));

/** The fields after an event, and when; undefined for a change of something that is not there. */
type EventReader<Fields, Event> = {
  tell(event: Event, before: Fields | null): { readonly fields: Fields; readonly at: string } | undefined;
}['tell'];

/** By type of event. */
export type EventReaders<Fields, Event extends DomainEvent> = {
  readonly [Type in Event['type']]: EventReader<Fields, EventOfType<Event, Type>> | null;
};

export interface EntityDefinition<Fields, Event extends DomainEvent, New = Fields> {
  readonly category: string;
  /** What people call it: `warehouse`. */
  readonly noun: string;
  readonly created: (fields: Fields, at: string) => Event;
  readonly changed: (fields: Fields, at: string) => Event;
  readonly deleted: (last: Fields) => Event;
  /** What each event says; null for the deletion. */
  readonly readers: EventReaders<Fields, Event>;
  /** All fields of a new one; left out where a creation is given all of them. */
  readonly complete?: (given: New, at: string) => Fields;
  /** Sets the fields that follow from others after a change. */
  readonly settle?: (changed: Fields, before: Fields, at: string) => Fields;
}

export const notFound = (noun: string): Rejection =>
  new Rejection('entity-not-found', `There is no such ${noun}.`);

/** Refuses with every problem at once. */
export const refuseProblems = (problems: readonly string[]): void => {
  if (problems.length > 0) throw invalidRequest(...problems);
};

/** Refuses a deletion while something depends on it, naming what. */
export const refuseDependents = (noun: string, dependents: readonly string[]): void => {
  if (dependents.length > 0) {
    throw new Rejection('still-used', `This ${noun} is still used by ${dependents.join(', ')}.`);
  }
};

const decideOn =
  <Fields, Event extends DomainEvent, New>(definition: EntityDefinition<Fields, Event, New>) =>
  (
    state: EntityState<Fields>,
    command: EntityCommand<Fields, New>,
    context: EntityContext<Fields>,
  ): readonly Event[] => {
    const { noun, settle = (changed: Fields) => changed } = definition;
    if (command.type === 'AbandonCreation')
      return abandonCreation(state) as readonly DomainEvent[] as Event[];
    if (command.type === 'Create') {
      const { complete = (given: New) => given as unknown as Fields } = definition;
      const fields = complete(command.fields, context.at);
      if (state.status === 'present') {
        if (isSameJson(state.fields, fields)) return [];
        throw new Rejection('already-exists', `This ${noun} already exists.`);
      }
      refuseAbandoned(state, command.abandonedBefore);
      refuseProblems(context.problems(fields));
      return [definition.created(fields, context.at)];
    }
    if (state.status !== 'present') throw notFound(noun);
    if (command.type === 'Delete') {
      refuseDependents(noun, context.dependents());
      return [definition.deleted(state.fields)];
    }
    const fields = settle({ ...state.fields, ...command.changes }, state.fields, context.at);
    refuseProblems(context.problems(fields));
    return isSameJson(fields, state.fields) ? [] : [definition.changed(fields, context.at)];
  };

const evolutionOf = <Fields, Event extends DomainEvent>(
  readers: EventReaders<Fields, Event>,
): Evolution<EntityState<Fields>, Event> => {
  const after = (tell: EventReader<Fields, never> | null) => (state: EntityState<Fields>, event: Event) => {
    if (tell === null) return { status: 'deleted' };
    const known = state.status === 'present' ? state : null;
    const now = tell(event as never, known?.fields ?? null);
    if (!now) return state;
    const { fields, at: dateUpdated } = now;
    return { status: 'present', fields, dateCreated: known?.dateCreated ?? dateUpdated, dateUpdated };
  };
  const rows = Object.entries<EventReader<Fields, never> | null>(readers).map(([type, tell]) => [
    type,
    after(tell),
  ]);
  return { ...Object.fromEntries(rows), CreationAbandoned: onCreationAbandoned } as Evolution<
    EntityState<Fields>,
    Event
  >;
};

/** The decider of everything that is only created, changed field by field and deleted. */
export const entityDecider = <Fields, Event extends DomainEvent, New = Fields>(
  definition: EntityDefinition<Fields, Event, New>,
): Decider<EntityState<Fields>, EntityCommand<Fields, New>, Event, EntityContext<Fields>> => ({
  category: definition.category,
  initial: () => ({ status: 'absent' }),
  decide: decideOn(definition),
  on: evolutionOf(definition.readers),
  remembersCommands: true,
});
