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
  create(id: string, fields: Fields, meta: CommandMeta): Promise<Saved<Fields>>;
  change(id: string, changes: Partial<Fields>, meta: CommandMeta): Promise<Saved<Fields>>;
  /** Creates it, or changes it when it is there. */
  put(id: string, fields: Fields, meta: CommandMeta): Promise<Saved<Fields>>;
  /** Answers the position. */
  remove(id: string, meta: CommandMeta): Promise<number>;
}

const fieldsOf = <Fields>(state: EntityState<Fields>): Fields | null =>
  state.status === 'present' ? state.fields : null;

const notAmong =
  (kept: readonly UniqueValue[]) =>
  ({ kind, value }: UniqueValue): boolean =>
    !kept.some((other) => other.kind === kind && other.value === value);

/**
 * Values that must be unique are claimed before the command and given back after it: what the entity had and has no
 * longer, and what a refusal left unused.
 */
export const createEntities = <Fields, Event extends DomainEvent>(
  rules: EntityRules<Fields, Event>,
  { commands, clock }: Pick<CommandDeps, 'commands' | 'clock'>,
  claims: Claims,
): Entities<Fields> => {
  const { decider, noun, uniqueValues } = rules;
  const isGone = async (id: string): Promise<boolean> =>
    (await commands.load(decider, id)).state.status === 'deleted';
  const valuesOf = (fields: Fields | null): readonly UniqueValue[] => (fields ? uniqueValues(fields) : []);

  const execute = async (id: string, command: EntityCommand<Fields>, meta: CommandMeta) => {
    let before: Fields | null = null;
    const executed = await commands.execute({
      decider,
      id,
      command,
      context: (state) => {
        before = fieldsOf(state);
        return {
          at: isoInstant(clock.now()),
          problems: rules.problems,
          dependents: () => rules.dependents(id),
        };
      },
      meta,
    });
    return { executed, before: before as Fields | null };
  };

  const save = async (
    id: string,
    command: EntityCommand<Fields>,
    wanted: readonly UniqueValue[],
    meta: CommandMeta,
  ): Promise<Saved<Fields>> => {
    const gained = await claims.claimAll(wanted, id, meta, isGone);
    try {
      const { executed, before } = await execute(id, command, meta);
      const { state, position, events, isRepeat } = executed;
      if (state.status !== 'present') throw notFound(noun);
      const unused = [...valuesOf(before), ...gained].filter(notAmong(valuesOf(state.fields)));
      await claims.releaseAll(unused, id, meta);
      const { fields, dateCreated, dateUpdated } = state;
      return {
        entity: { id, fields, dateCreated, dateUpdated },
        position,
        hasChanged: !isRepeat && events.length > 0,
      };
    } catch (error) {
      if (error instanceof Rejection) await claims.releaseAll(gained, id, meta);
      throw error;
    }
  };

  const change = async (id: string, changes: Partial<Fields>, meta: CommandMeta): Promise<Saved<Fields>> => {
    const { state } = await commands.load(decider, id);
    if (state.status !== 'present') throw notFound(noun);
    const wanted = uniqueValues({ ...state.fields, ...changes });
    return save(id, { type: 'Change', changes }, wanted.filter(notAmong(uniqueValues(state.fields))), meta);
  };

  const create = (id: string, fields: Fields, meta: CommandMeta): Promise<Saved<Fields>> =>
    save(id, { type: 'Create', fields }, uniqueValues(fields), meta);

  return {
    create,
    change,
    put: async (id, fields, meta) => {
      const { state } = await commands.load(decider, id);
      return state.status === 'present'
        ? change(id, fields as Partial<Fields>, meta)
        : create(id, fields, meta);
    },
    remove: async (id, meta) => {
      const { executed, before } = await execute(id, { type: 'Delete' }, meta);
      await claims.releaseAll(valuesOf(before), id, meta);
      return executed.position;
    },
  };
};
