import type { Claims } from '#command/engine/claims.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import { afterChange } from '#command/engine/entity-keeper.ts';
import { createEntities, type Entities, type Saved } from '#command/engine/entities.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { CurrencyOf } from '#contracts/management.contract.ts';
import { requirementIn, validDiscountFields, type DiscountGiven } from '#contracts/discounts.contract.ts';
import type { Discount } from '#events/discount.events.ts';
import { isoInstant } from '#kernel/clock.ts';
import { notFound } from '#kernel/entity.ts';
import { discountDecider, discountProblems, statusByDates } from './discount.decider.ts';

/** A new rule as its body gives it; without `startsAt` it starts now. */
export type NewDiscount = Omit<Discount, 'status' | 'startsAt'> & { readonly startsAt?: string | undefined };

/** Creates, changes and deletes discounts, and switches them on and off. */
export interface DiscountActions {
  /** What the rules say of a body that is refused anyway; `id`: what it was to change, null for a creation. */
  problemsBeside(body: unknown, id: string | null): Promise<readonly string[]>;
  exists(id: string): Promise<boolean>;
  create(id: string, given: NewDiscount, meta: CommandMeta): Promise<Saved<Discount>>;
  change(id: string, given: DiscountGiven, meta: CommandMeta): Promise<Saved<Discount>>;
  remove(id: string, meta: CommandMeta): Promise<number>;
  activate(id: string, meta: CommandMeta): Promise<Saved<Discount>>;
  deactivate(id: string, meta: CommandMeta): Promise<Saved<Discount>>;
}

const discountEntities = (deps: CommandDeps, claims: Claims): Entities<Discount> =>
  createEntities(
    {
      decider: discountDecider,
      noun: 'discount',
      problems: discountProblems,
      dependents: () => [],
      uniqueValues: ({ code }) =>
        code === null ? [] : [{ kind: 'discount-code', value: code, field: 'code' }],
    },
    deps,
    claims,
  );

export const createDiscountActions = (
  deps: CommandDeps,
  claims: Claims,
  currency: CurrencyOf,
): DiscountActions => {
  const { commands, clock } = deps;
  const entities = discountEntities(deps, claims);

  const switchStatus = async (
    id: string,
    type: 'ActivateDiscount' | 'DeactivateDiscount',
    meta: CommandMeta,
  ): Promise<Saved<Discount>> => {
    const { state, position, events } = await commands.execute({
      decider: discountDecider,
      id,
      command: { type },
      context: () => ({ at: isoInstant(clock.now()), problems: () => [], dependents: () => [] }),
      meta,
    });
    if (state.status !== 'present') throw notFound('discount');
    const { fields, dateCreated, dateUpdated } = state;
    return { entity: { id, fields, dateCreated, dateUpdated }, position, hasChanged: events.length > 0 };
  };

  return {
    problemsBeside: async (body, id) => {
      const given = validDiscountFields(body, currency, id === null);
      const known = id === null ? { startsAt: isoInstant(clock.now()) } : await entities.load(id);
      return known === null ? [] : discountProblems(afterChange<Discount>(known, body, given));
    },
    exists: (id) => entities.exists(id),
    create: (id, given, meta) => {
      const at = isoInstant(clock.now());
      const { requirementType, requirementValue, startsAt = at } = given;
      const value = requirementIn(requirementType, requirementValue, currency());
      const status = statusByDates({ startsAt, endsAt: null }, at);
      return entities.create(id, { ...given, startsAt, requirementValue: value, status }, meta);
    },
    change: async (id, given, meta) => {
      const { state } = await commands.load(discountDecider, id);
      if (state.status !== 'present') throw notFound('discount');
      const type = given.requirementType ?? state.fields.requirementType;
      const { requirementValue } = given;
      const value =
        requirementValue === undefined
          ? {}
          : { requirementValue: requirementIn(type, requirementValue, currency()) };
      return entities.change(id, { ...given, ...value } as Partial<Discount>, meta);
    },
    remove: (id, meta) => entities.remove(id, meta),
    activate: (id, meta) => switchStatus(id, 'ActivateDiscount', meta),
    deactivate: (id, meta) => switchStatus(id, 'DeactivateDiscount', meta),
  };
};
