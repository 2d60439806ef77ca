import { isoInstant } from '#kernel/clock.ts';
import type { Decider } from '#kernel/decider.ts';
import {
  notFound,
  type Entity,
  type EntityCommand,
  type EntityContext,
  type EntityState,
} from '#kernel/entity.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { Claims, UniqueValue } from './claims.ts';
import type { CommandMeta } from './command-engine.ts';
import type { CommandDeps } from './service-deps.ts';

type EntityDecider<Fields, Event extends DomainEvent> = Decider<
  EntityState<Fields>,
  EntityCommand<Fields>,
  Event,
  EntityContext<Fields>
>;

/** What the engine must know of a kind of entity beside its decider. */
export interface EntityRules<Fields, Event extends DomainEvent> {
  readonly decider: EntityDecider<Fields, Event>;
  readonly noun: string;
  readonly problems: (fields: Fields) => readonly string[];
  readonly dependents: (id: string) => readonly string[];
  readonly uniqueValues: (fields: Fields) => readonly UniqueValue[];
}

export interface Saved<Fields> {
  readonly entity: Entity<Fields>;
  readonly position: number;
  /** False when everything was so already. */
  readonly hasChanged: boolean;
}

/** Creates, changes and deletes entities of one kind. */
export interface Entities<Fields> {
  exists(id: string): Promise<boolean>;
  /** Null where there is none. */
  load(id: string): Promise<Fields | null>;
  create(id: string, fields: Fields, meta: CommandMeta): Promise<Saved<Fields>>;
  change(id: string, changes: Partial<Fields>, meta: CommandMeta): Promise<Saved<Fields>>;
  /** Answers the position. */
  remove(id: string, meta: CommandMeta): Promise<number>;
}

const fieldsOf = <Fields>(state: EntityState<Fields>): Fields | null =>
  state.status === 'present' ? state.fields : null;

const notAmong =
  (kept: readonly UniqueValue[]) =>
  ({ kind, value }: UniqueValue): boolean =>
    !kept.some((other) => other.kind === kind && other.value === value);

interface Tools<Fields, Event extends DomainEvent> {
  readonly rules: EntityRules<Fields, Event>;
  readonly deps: Pick<CommandDeps, 'commands' | 'clock'>;
  readonly claims: Claims;
}

/** A command for the engine, which hands `look` the state that it decides on. */
const requestFor = <Fields, Event extends DomainEvent>(
  { rules, deps }: Tools<Fields, Event>,
  id: string,
  command: EntityCommand<Fields>,
  meta: CommandMeta,
  look: (state: EntityState<Fields>) => void = () => undefined,
) => ({
  decider: rules.decider,
  id,
  command,
  context: (state: EntityState<Fields>) => {
    look(state);
    return {
      at: isoInstant(deps.clock.now()),
      problems: rules.problems,
      dependents: () => rules.dependents(id),
    };
  },
  meta,
});

/** Runs a command and tells what the entity was when it was decided. */
const execute = async <Fields, Event extends DomainEvent>(
  tools: Tools<Fields, Event>,
  id: string,
  command: EntityCommand<Fields>,
  meta: CommandMeta,
) => {
  let before: Fields | null = null;
  const look = (state: EntityState<Fields>): void => void (before = fieldsOf(state));
  const executed = await tools.deps.commands.execute(requestFor(tools, id, command, meta, look));
  return { executed, before: before as Fields | null };
};

/**
 * What can be refused is refused before anything is written: by the rules first, then because a value is somebody
 * else's. Values that must be unique are claimed before the command and given back after it: what the entity had and
 * has no longer, and what was lost in a race. The claims of a deleted entity count no longer.
 */
const save = async <Fields, Event extends DomainEvent>(
  tools: Tools<Fields, Event>,
  id: string,
  command: EntityCommand<Fields>,
  wanted: readonly UniqueValue[],
  meta: CommandMeta,
): Promise<Saved<Fields>> => {
  const { rules, deps, claims } = tools;
  const isGone = async (ownerId: string): Promise<boolean> =>
    (await deps.commands.load(rules.decider, ownerId)).state.status === 'deleted';
  if (wanted.length > 0) {
    await deps.commands.rehearse(requestFor(tools, id, command, meta));
    await claims.refuseTaken(wanted, id, isGone);
  }
  const gained = await claims.claimAll(wanted, id, meta, isGone);
  const { executed, before } = await execute(tools, id, command, meta).catch(async (error: unknown) => {
    if (error instanceof Rejection) await claims.releaseAll(gained, id, meta);
    throw error;
  });
  const { state, position, events, isRepeat } = executed;
  if (state.status !== 'present') throw notFound(rules.noun);
  const { fields, dateCreated, dateUpdated } = state;
  const had = before === null ? [] : rules.uniqueValues(before);
  await claims.releaseAll([...had, ...gained].filter(notAmong(rules.uniqueValues(fields))), id, meta);
  const entity = { id, fields, dateCreated, dateUpdated };
  return { entity, position, hasChanged: !isRepeat && events.length > 0 };
};

export const createEntities = <Fields, Event extends DomainEvent>(
  rules: EntityRules<Fields, Event>,
  deps: Pick<CommandDeps, 'commands' | 'clock'>,
  claims: Claims,
): Entities<Fields> => {
  const tools = { rules, deps, claims };
  const { decider, noun, uniqueValues } = rules;
  const load = async (id: string): Promise<Fields | null> =>
    fieldsOf((await deps.commands.load(decider, id)).state);
  return {
    load,
    exists: async (id) => (await load(id)) !== null,
    create: (id, fields, meta) => save(tools, id, { type: 'Create', fields }, uniqueValues(fields), meta),
    change: async (id, changes, meta) => {
      const fields = await load(id);
      if (fields === null) throw notFound(noun);
      const wanted = uniqueValues({ ...fields, ...changes }).filter(notAmong(uniqueValues(fields)));
      return save(tools, id, { type: 'Change', changes }, wanted, meta);
    },
    remove: async (id, meta) => {
      const { executed, before } = await execute(tools, id, { type: 'Delete' }, meta);
      await claims.releaseAll(before === null ? [] : uniqueValues(before), id, meta);
      return executed.position;
    },
  };
};
