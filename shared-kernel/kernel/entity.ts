import type { Decider } from './decider.ts';
import type { DomainEvent, EventOfType } from './event.ts';
import type { Evolution } from './evolution.ts';
import { Rejection } from './rejection.ts';
import { isSameJson } from './same-json.ts';

/** Something that the backoffice keeps: its fields, and when it was made and last changed (ISO instants). */
export interface Entity<Fields> {
  readonly id: string;
  readonly fields: Fields;
  readonly dateCreated: string;
  readonly dateUpdated: string;
}

export type EntityState<Fields> =
  | { readonly status: 'absent' }
  | {
      readonly status: 'present';
      readonly fields: Fields;
      readonly dateCreated: string;
      readonly dateUpdated: string;
    }
  | { readonly status: 'deleted' };

export type EntityCommand<Fields> =
  | { readonly type: 'Create'; readonly fields: Fields }
  /** Replaces the given fields. */
  | { readonly type: 'Change'; readonly changes: Partial<Fields> }
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

/** By type of event. */
export type Told<Fields, Event extends DomainEvent> = {
  readonly [Type in Event['type']]:
    ((event: EventOfType<Event, Type>) => { readonly fields: Fields; readonly at: string }) | null;
};

export interface EntityDefinition<Fields, Event extends DomainEvent> {
  readonly category: string;
  /** What people call it: `warehouse`. */
  readonly noun: string;
  readonly created: (fields: Fields, at: string) => Event;
  readonly changed: (fields: Fields, at: string) => Event;
  readonly deleted: () => Event;
  /** What each event says; null for the deletion. */
  readonly told: Told<Fields, Event>;
}

export const notFound = (noun: string): Rejection =>
  new Rejection('entity-not-found', `There is no such ${noun}.`);

/** Refuses with every problem at once. */
export const refuseProblems = (problems: readonly string[]): void => {
  if (problems.length > 0) {
    throw new Rejection('invalid-request', 'The request is not valid.', { errors: problems });
  }
};

/** Refuses a deletion while something depends on it, naming what. */
export const refuseDependents = (noun: string, dependents: readonly string[]): void => {
  if (dependents.length > 0) {
    throw new Rejection('still-used', `This ${noun} is still used by ${dependents.join(', ')}.`);
  }
};

const decideOn =
  <Fields, Event extends DomainEvent>(definition: EntityDefinition<Fields, Event>) =>
  (
    state: EntityState<Fields>,
    command: EntityCommand<Fields>,
    context: EntityContext<Fields>,
  ): readonly Event[] => {
    const { noun } = definition;
    if (command.type === 'Create') {
      if (state.status === 'present') {
        if (isSameJson(state.fields, command.fields)) return [];
        throw new Rejection('already-exists', `There is such a ${noun} already.`);
      }
      refuseProblems(context.problems(command.fields));
      return [definition.created(command.fields, context.at)];
    }
    if (state.status !== 'present') throw notFound(noun);
    if (command.type === 'Delete') {
      refuseDependents(noun, context.dependents());
      return [definition.deleted()];
    }
    const fields = { ...state.fields, ...command.changes };
    refuseProblems(context.problems(fields));
    return isSameJson(fields, state.fields) ? [] : [definition.changed(fields, context.at)];
  };

type Tell<Fields> = (event: never) => { readonly fields: Fields; readonly at: string };

const evolutionOf = <Fields, Event extends DomainEvent>(
  told: Told<Fields, Event>,
): Evolution<EntityState<Fields>, Event> => {
  const after = (tell: Tell<Fields> | null) => (state: EntityState<Fields>, event: Event) => {
    if (tell === null) return { status: 'deleted' };
    const { fields, at: dateUpdated } = tell(event as never);
    const dateCreated = state.status === 'present' ? state.dateCreated : dateUpdated;
    return { status: 'present', fields, dateCreated, dateUpdated };
  };
  const rows = Object.entries<Tell<Fields> | null>(told).map(([type, tell]) => [type, after(tell)]);
  return Object.fromEntries(rows) as Evolution<EntityState<Fields>, Event>;
};

/** The decider of everything that is only created, changed field by field and deleted. */
export const entityDecider = <Fields, Event extends DomainEvent>(
  definition: EntityDefinition<Fields, Event>,
): Decider<EntityState<Fields>, EntityCommand<Fields>, Event, EntityContext<Fields>> => ({
  category: definition.category,
  initial: () => ({ status: 'absent' }),
  decide: decideOn(definition),
  on: evolutionOf(definition.told),
  remembersCommands: true,
});
