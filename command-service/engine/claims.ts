import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { claimDecider } from './claim.decider.ts';
import type { CommandMeta } from './command-engine.ts';
import type { CommandDeps } from './service-deps.ts';

/** A value that must be unique in the shop, and the field of a body that names it. */
export interface UniqueValue {
  readonly kind:
    'warehouse-code' | 'sku' | 'product-url' | 'discount-code' | 'customer-email' | 'backoffice-email';
  readonly value: string;
  readonly field: string;
}

export type ClaimOutcome =
  { readonly kind: 'ok'; readonly isNew: boolean } | { readonly kind: 'taken'; readonly ownerId: string };

/** Tells whether an owner has existed and exists no longer: a crash may have left its claims behind. */
export type IsGone = (ownerId: string) => Promise<boolean>;

export interface Claims {
  /** Claims a value for an owner; a repeat by the same owner is ok. */
  claim(
    kind: UniqueValue['kind'],
    value: string,
    ownerId: string,
    meta: CommandMeta,
    isGone?: IsGone,
  ): Promise<ClaimOutcome>;
  /** Gives a value back; nothing happens when somebody else has it. */
  release(kind: UniqueValue['kind'], value: string, ownerId: string, meta: CommandMeta): Promise<void>;
  /**
   * Claims all or nothing and answers those that the owner did not have before. Refused with `value-taken`, naming the
   * field.
   */
  claimAll(
    values: readonly UniqueValue[],
    ownerId: string,
    meta: CommandMeta,
    isGone?: IsGone,
  ): Promise<readonly UniqueValue[]>;
  releaseAll(values: readonly UniqueValue[], ownerId: string, meta: CommandMeta): Promise<void>;
}

const never: IsGone = () => Promise.resolve(false);

/**
 * Uniqueness by claim streams, one per kind and value (architecture, section 3). The name of a stream gives nothing away
 * of its value. An owner's id comes before the owner: a repeat after a crash in between meets its own claim.
 */
export const createClaims = ({
  commands,
  keyedHash,
}: Pick<CommandDeps, 'commands' | 'keyedHash'>): Claims => {
  const idOfClaim = (kind: string, value: string): string => derivedId('claim', kind, keyedHash(kind, value));

  const attempt = async (
    kind: UniqueValue['kind'],
    value: string,
    ownerId: string,
    meta: CommandMeta,
    goneOwnerId?: string,
  ): Promise<ClaimOutcome> => {
    const gone = goneOwnerId === undefined ? {} : { goneOwnerId };
    try {
      const { events } = await commands.execute({
        decider: claimDecider,
        id: idOfClaim(kind, value),
        command: { type: 'ClaimValue', kind, ownerId, ...gone },
        context: () => undefined,
        meta,
      });
      return { kind: 'ok', isNew: events.length > 0 };
    } catch (error) {
      if (!(error instanceof Rejection) || error.code !== 'value-taken') throw error;
      return { kind: 'taken', ownerId: String(error.details['ownerId']) };
    }
  };

  const claims: Claims = {
    claim: async (kind, value, ownerId, meta, isGone = never) => {
      const outcome = await attempt(kind, value, ownerId, meta);
      if (outcome.kind === 'ok' || !(await isGone(outcome.ownerId))) return outcome;
      return attempt(kind, value, ownerId, meta, outcome.ownerId);
    },
    release: async (kind, value, ownerId, meta) => {
      await commands.execute({
        decider: claimDecider,
        id: idOfClaim(kind, value),
        command: { type: 'ReleaseClaim', kind, ownerId },
        context: () => undefined,
        meta,
      });
    },
    claimAll: async (values, ownerId, meta, isGone) => {
      const outcomes = await Promise.all(
        values.map(async (unique) => ({
          unique,
          outcome: await claims.claim(unique.kind, unique.value, ownerId, meta, isGone),
        })),
      );
      const gained = outcomes
        .filter(({ outcome }) => outcome.kind === 'ok' && outcome.isNew)
        .map(({ unique }) => unique);
      const taken = outcomes.filter(({ outcome }) => outcome.kind === 'taken').map(({ unique }) => unique);
      if (taken.length === 0) return gained;
      await claims.releaseAll(gained, ownerId, meta);
      const fields = taken.map(({ field }) => field);
      const errors = taken.map(
        ({ field, value }) => `${field}: a value that is not in use was expected, not ${value}`,
      );
      throw new Rejection('value-taken', `Already in use: ${fields.join(', ')}.`, { errors });
    },
    releaseAll: async (values, ownerId, meta) => {
      await Promise.all(values.map(({ kind, value }) => claims.release(kind, value, ownerId, meta)));
    },
  };
  return claims;
};
