import type { EntityType } from '#entities/define-entity.ts';
import { entities } from '#entities/entities.ts';
import { isoInstant, type Clock } from '#kernel/clock.ts';
import { timesAbandoned } from '#kernel/creation.ts';
import type { Command, Decider } from '#kernel/decider.ts';
import {
  entityDecider,
  notFound,
  refuseProblems,
  type Entity,
  type EntityContext,
  type EntityState,
} from '#kernel/entity.ts';
import type { DomainEvent } from '#kernel/event.ts';
import type { Reference } from '#reference/reference.ts';
import { actOnClaims, without, type ClaimOwners, type UniqueValue } from './claims.ts';
import type { CommandMeta, Executed } from './command-engine.ts';
import { stepMeta } from './command-meta.ts';
import { afterChange, fixedProblems, rulesOf, type EntityDecider, type EntityRules } from './entity-rules.ts';
import type { CommandDeps } from './service-deps.ts';

export interface Saved<Fields> {
  readonly entity: Entity<Fields>;
  readonly position: number;
  /** False when everything was so already. */
  readonly hasChanged: boolean;
}

export interface EntityActionOptions {
  /** Of the store: decimal amounts are turned into its minor units. */
  readonly currency: () => string;
  /** Those that may be referred to. */
  readonly kinds?: readonly Pick<EntityType, 'category' | 'noun'>[];
}

const fieldsOf = <Fields>(state: EntityState<Fields>): Fields | null =>
  state.status === 'present' ? state.fields : null;

/** Carries out commands on things of one kind. */
const carrying = <Fields, Cmd extends Command, Event extends DomainEvent>(
  { commands, clock }: CommandDeps,
  decider: Decider<EntityState<Fields>, Cmd, Event, EntityContext<Fields>>,
  contextOf: (id: string) => Omit<EntityContext<Fields>, 'at'>,
) => {
  const requestFor = (
    id: string,
    command: Cmd,
    meta: CommandMeta,
    look: (state: EntityState<Fields>) => void = () => undefined,
  ) => ({
    decider,
    id,
    command,
    context: (state: EntityState<Fields>): EntityContext<Fields> => {
      look(state);
      return { at: isoInstant(clock.now()), ...contextOf(id) };
    },
    meta,
  });
  return {
    /** Throws what the command would be refused with. */
    rehearse: (id: string, command: Cmd, meta: CommandMeta) =>
      commands.rehearse(requestFor(id, command, meta)),
    /** Tells what the thing was when the command was decided, too. */
    execute: async (id: string, command: Cmd, meta: CommandMeta) => {
      let before: Fields | null = null;
      const look = (state: EntityState<Fields>): void => void (before = fieldsOf(state));
      const executed = await commands.execute(requestFor(id, command, meta, look));
      return { executed, before: before as Fields | null };
    },
    load: async (id: string) => (await commands.load(decider, id)).state,
    recall: async (id: string) => (await commands.recall(decider, id)).state,
  };
};

/** How many of the products that block a deletion are named. */
const NAMED_PRODUCTS = 3;

/** The resources and products that name one, in words. */
const usersOf = (
  { catalogue, entities: kept }: Reference,
  category: string,
  id: string,
): readonly string[] => {
  const products = catalogue.productsThatUse(category, id);
  const named = products
    .slice(0, NAMED_PRODUCTS)
    .map((rootId) => `the product ${catalogue.product(rootId)?.root.rootName ?? rootId}`);
  const others = products.length - named.length;
  return [...kept.users(category, id), ...named, ...(others > 0 ? [`${others} other product(s)`] : [])];
};

const savedOf = <Fields>(
  noun: string,
  id: string,
  { state, position, events, isRepeat }: Executed<EntityState<Fields>, DomainEvent>,
): Saved<Fields> => {
  if (state.status !== 'present') throw notFound(noun);
  const { fields, dateCreated, dateUpdated } = state;
  const entity = { id, fields, dateCreated, dateUpdated };
  return { entity, position, hasChanged: !isRepeat && events.length > 0 };
};

/**
 * Carries out commands on entities with unique values. What can be refused is refused before anything is written:
 * first by the rules, then because a value is taken. Unique values are claimed before the command and given back
 * after it: those that the entity no longer has, and those lost in a race.
 */
const saving = <Fields, Cmd extends Command, Event extends DomainEvent>(
  { claims }: CommandDeps,
  noun: string,
  { rehearse, execute, load, recall }: ReturnType<typeof carrying<Fields, Cmd, Event>>,
  uniqueValues: (fields: Fields) => readonly UniqueValue[],
) => {
  const owners: ClaimOwners = {
    isThere: async (id) => (await load(id)).status === 'present',
    abandon: async (id, meta) => {
      const { executed } = await execute(id, { type: 'AbandonCreation' } as Command as Cmd, meta);
      return executed.state.status !== 'present';
    },
  };
  /** A creation says what it knew before its values were claimed. */
  const setOut = async (id: string, command: Cmd): Promise<Cmd> =>
    command.type === 'Create' ? { ...command, abandonedBefore: timesAbandoned(await recall(id)) } : command;

  return {
    save: async (
      id: string,
      command: Cmd,
      wanted: readonly UniqueValue[],
      meta: CommandMeta,
    ): Promise<Saved<Fields>> => {
      if (wanted.length > 0) {
        await rehearse(id, command, meta);
        await claims.refuseTaken(wanted, id, owners);
      }
      const sent = wanted.length > 0 ? await setOut(id, command) : command;
      const gained = await claims.claimAll(wanted, id, meta, owners);
      return actOnClaims(claims, gained, id, meta, async () => {
        const { executed, before } = await execute(id, sent, meta);
        const saved = savedOf(noun, id, executed);
        const had = before === null ? [] : uniqueValues(before);
        return { outcome: saved, had, has: uniqueValues(saved.entity.fields) };
      });
    },
    /** Returns the position. */
    remove: async (id: string, command: Cmd, meta: CommandMeta): Promise<number> => {
      const { executed, before } = await execute(id, command, meta);
      await claims.releaseAll(before === null ? [] : uniqueValues(before), id, meta);
      return executed.position;
    },
  };
};

/** Puts things in this order, for a kind that has one; refused whole when one of them is not there. */
const reordering =
  <Fields, Cmd extends Command>(
    { noun, reordered }: Pick<EntityType, 'noun' | 'reordered'>,
    known: (id: string) => Promise<Fields | null>,
    save: (id: string, command: Cmd, wanted: readonly [], meta: CommandMeta) => Promise<Saved<Fields>>,
  ) =>
  async (ids: readonly string[], meta: CommandMeta): Promise<readonly Saved<Fields>[]> => {
    const found = await Promise.all(ids.map(known));
    refuseProblems(
      ids.flatMap((id, place) => [
        ...(found[place] === null ? [`ids.${place}: must be an existing ${noun}`] : []),
        ...(ids.indexOf(id) < place ? [`ids.${place}: must name each ${noun} once`] : []),
      ]),
    );
    const placed = (place: number) => ({ type: 'Change', changes: { [reordered ?? '']: place } });
    return Promise.all(ids.map((id, place) => save(id, placed(place) as unknown as Cmd, [], meta)));
  };

/** References to unknown things and changes of fixed fields, together with everything else that is wrong. */
const refusingGiven =
  <Fields>(
    problems: (fields: Partial<Fields>) => readonly string[],
    unknownIn: (given: Partial<Fields>) => Promise<readonly string[]>,
  ) =>
  async (given: Partial<Fields>, before: Partial<Fields>, altered: readonly string[] = []): Promise<void> => {
    const found = [...altered, ...(await unknownIn(given))];
    if (found.length > 0) refuseProblems([...found, ...problems({ ...before, ...given })]);
  };

interface Checking<Fields, New> {
  readonly kind: EntityType<Fields, New>;
  readonly known: (id: string) => Promise<Fields | null>;
  readonly unknownIn: (given: Partial<Fields>) => Promise<readonly string[]>;
  readonly problems: (fields: Partial<Fields>) => readonly string[];
  readonly currency: () => string;
  readonly clock: Clock;
}

/** What the rules say of a body that is refused anyway; `id`: what it was to change, null for a creation. */
const problemsBeside =
  <Fields extends object, New>(checking: Checking<Fields, New>) =>
  async (body: unknown, id: string | null): Promise<readonly string[]> => {
    const { kind, known, unknownIn, problems, currency, clock } = checking;
    const fields = id === null ? null : await known(id);
    if (id !== null && fields === null) return [];
    const valid = kind.stored(kind.validFields(body, currency, id === null), fields, currency());
    const whole = afterChange(fields ?? kind.begins(isoInstant(clock.now())), body, valid);
    return [...(await unknownIn(valid)), ...problems(whole)];
  };

/** Deletes one, once what may go with it is out of the way. */
const removing =
  <Cmd>(
    remove: (id: string, command: Cmd | { readonly type: 'Delete' }, meta: CommandMeta) => Promise<number>,
    clearAway: EntityRules<object>['clearAway'],
    deps: CommandDeps,
  ) =>
  async (id: string, meta: CommandMeta): Promise<number> => {
    await clearAway?.(id, deps, stepMeta(meta));
    return remove(id, { type: 'Delete' }, meta);
  };

/**
 * What can be done with resources of one kind. Errors: `invalid-request`, `entity-not-found`, `value-taken`,
 * `already-exists`, `still-used`.
 */
export const createEntityActions = <
  Fields extends object,
  New = Fields,
  Own extends Command = never,
  Event extends DomainEvent = DomainEvent,
>(
  kind: EntityType<Fields, New>,
  additions: EntityRules<Fields, New, Own, Event>,
  deps: CommandDeps,
  { currency, kinds = entities }: EntityActionOptions,
) => {
  const { clock, reference } = deps;
  const { category, noun } = kind;
  const { rules = [], dependents = () => [], figures = () => ({}), unknown, around, clearAway } = additions;
  const decider =
    additions.decider ?? (entityDecider(kind) as unknown as EntityDecider<Fields, New, Own, Event>);
  const said = rulesOf<Fields>(kind, rules, kinds, reference.entities);
  const { problems, uniqueValues } = said;
  const carried = carrying(deps, decider, (id) => ({
    problems,
    dependents: () => [...usersOf(reference, category, id), ...dependents(id, deps)],
  }));
  const { save, remove } = saving(deps, noun, carried, uniqueValues);
  const known = async (id: string): Promise<Fields | null> => fieldsOf(await carried.load(id));
  const unknownIn = async (given: Partial<Fields>): Promise<readonly string[]> =>
    unknown ? unknown(given, deps) : [];
  const refuseGiven = refusingGiven(problems, unknownIn);

  return {
    kind,
    ...said,
    exists: async (id: string): Promise<boolean> => (await known(id)) !== null,
    create: async (id: string, given: New, meta: CommandMeta): Promise<Saved<Fields>> => {
      const fields = kind.stored(given, null, currency());
      await refuseGiven(fields as Partial<Fields>, {});
      return save(id, { type: 'Create', fields }, uniqueValues(fields as Partial<Fields>), meta);
    },
    change: async (id: string, given: Partial<New>, meta: CommandMeta): Promise<Saved<Fields>> => {
      const before = await known(id);
      if (before === null) throw notFound(noun);
      const changes = kind.stored(given, before, currency()) as Partial<New> & Partial<Fields>;
      await refuseGiven(changes, before, fixedProblems(kind.immutable, changes, before));
      const wanted = without(uniqueValues({ ...before, ...changes }), uniqueValues(before));
      const now = { ...before, ...changes };
      const saveIt = () => save(id, { type: 'Change', changes }, wanted, meta);
      if (!around || problems(now).length > 0) return saveIt();
      return around(id, { before, now }, saveIt, deps, meta);
    },
    /** Returns the position. */
    remove: removing(remove, clearAway, deps),
    reorder: reordering(kind, known, save),
    /** A command of the kind's own. */
    send: async (id: string, command: Own, meta: CommandMeta): Promise<Saved<Fields>> =>
      savedOf(noun, id, (await carried.execute(id, command, meta)).executed),
    /** One that has just been saved, as callers read it. */
    show: (entity: Entity<Fields>): object =>
      kind.toResponse(entity, {
        currency: currency(),
        figures: figures(entity.id, deps),
        find: reference.entities.find,
      }),
    problemsBeside: problemsBeside({ kind, known, unknownIn, problems, currency, clock }),
  };
};

export type EntityActions<Fields extends object = object, New = Fields> = ReturnType<
  typeof createEntityActions<Fields, New, never>
>;
