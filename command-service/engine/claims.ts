import { isoInstant } from '#kernel/clock.ts';
import { Rejection } from '#kernel/rejection.ts';
import { claimIdOf } from '#values/claim-id.ts';
import { claimDecider, type ClaimCommand, type ClaimState } from './claim.decider.ts';
import type { CommandEngine, CommandMeta, ExecuteRequest } from './command-engine.ts';
import { stepMeta } from './command-meta.ts';
import type { Sources } from './streams.ts';

/** A value that must be unique in the shop, and the field of a body that names it. */
export interface UniqueValue {
  /** Which values are compared: `sku`, `warehouse-code`. */
  readonly kind: string;
  readonly value: string;
  readonly field: string;
}

export type ClaimOutcome =
  | { readonly kind: 'ok'; readonly isNew: boolean }
  | { readonly kind: 'taken'; readonly ownerId: string };

/** How long creating an owner may take from its first claim. */
const CREATION_MS = 60_000;

/**
 * The owners of claimed values. A crash may leave claims of an owner that was never created or no longer exists:
 * after a minute another owner can have them.
 */
export interface ClaimOwners {
  isThere(ownerId: string): Promise<boolean>;
  /** Makes sure that a deleted owner is never created; false for one that exists. */
  abandon(ownerId: string, meta: CommandMeta): Promise<boolean>;
}

/** How values are claimed: `isNewId` where they have most likely never been claimed. */
export type Claiming = Pick<ExecuteRequest<never, never, never, never>, 'isNewId' | 'isLast'>;

export interface Claims {
  /** Claims a value for an owner; a repeat by the same owner is ok. */
  claim(
    kind: UniqueValue['kind'],
    value: string,
    ownerId: string,
    meta: CommandMeta,
    owners?: ClaimOwners,
    how?: Claiming,
  ): Promise<ClaimOutcome>;
  /** Who has claimed a value, be they there or not; null: it is free. */
  ownerOf(kind: UniqueValue['kind'], value: string): Promise<string | null>;
  /** Gives a value back; does nothing when another owner has it. */
  release(kind: UniqueValue['kind'], value: string, ownerId: string, meta: CommandMeta): Promise<void>;
  /**
   * Refuses with `value-taken`, naming the fields, when another owner has one of the values. Claims nothing: call it
   * before the first claim, so that only a true race leaves claims to give back.
   */
  refuseTaken(values: readonly UniqueValue[], ownerId: string, owners?: ClaimOwners): Promise<void>;
  /**
   * Claims all or nothing and returns those that the owner did not have before. Refused with `value-taken`, naming the
   * field.
   */
  claimAll(
    values: readonly UniqueValue[],
    ownerId: string,
    meta: CommandMeta,
    owners?: ClaimOwners,
    how?: Claiming,
  ): Promise<readonly UniqueValue[]>;
  releaseAll(values: readonly UniqueValue[], ownerId: string, meta: CommandMeta): Promise<void>;
}

interface ClaimsDeps extends Pick<Sources, 'keyedHash' | 'clock'> {
  readonly commands: CommandEngine;
}

/** Owners who are made known by the next one that meets their claim, and so are never gone. */
const lasting: ClaimOwners = {
  isThere: () => Promise.resolve(true),
  abandon: () => Promise.resolve(false),
};

type Attempt =
  | Extract<ClaimOutcome, { kind: 'ok' }>
  | (Extract<ClaimOutcome, { kind: 'taken' }> & Pick<ClaimState, 'since'>);

const attempt = async (
  commands: CommandEngine,
  id: string,
  command: Extract<ClaimCommand, { type: 'ClaimValue' }>,
  meta: CommandMeta,
  how: Claiming = {},
): Promise<Attempt> => {
  try {
    const { events } = await commands.execute({
      decider: claimDecider,
      id,
      command,
      context: () => undefined,
      meta,
      isNewId: 'perhaps',
      referenceMatters: 'never',
      ...how,
    });
    return { kind: 'ok', isNew: events.some(({ type }) => type === 'ValueClaimed') };
  } catch (error) {
    if (!(error instanceof Rejection) || error.code !== 'value-taken') throw error;
    const { ownerId, since } = error.details as { readonly ownerId: string; readonly since: string | null };
    return { kind: 'taken', ownerId, since };
  }
};

const taken = (values: readonly UniqueValue[]): Rejection => {
  const fields = values.map(({ field }) => field).join(', ');
  const errors = values.map(
    ({ field, value }) => `${field}: must be a value that is not in use, not ${value}`,
  );
  return new Rejection('value-taken', `Already in use: ${fields}.`, { errors });
};

/**
 * Uniqueness by claim streams, one per kind and value (docs/architecture.md#uniqueness). An owner's id is there before
 * the owner: a repeat after a crash in between meets its own claim.
 */
export const createClaims = ({ commands, keyedHash, clock }: ClaimsDeps): Claims => {
  const idOf = (kind: string, value: string): string => claimIdOf(keyedHash, kind, value);

  const isStale = (since: string | null): boolean =>
    since === null || clock.now() - Date.parse(since) >= CREATION_MS;

  const claim: Claims['claim'] = async (kind, value, ownerId, meta, owners = lasting, how = {}) => {
    const id = idOf(kind, value);
    const command = { type: 'ClaimValue', kind, ownerId, at: isoInstant(clock.now()) } as const;
    const outcome = await attempt(commands, id, command, meta, how);
    if (outcome.kind === 'ok') return outcome;
    const { ownerId: holder, since } = outcome;
    const isFree = isStale(since) && (await owners.abandon(holder, stepMeta(meta)));
    if (!isFree) return { kind: 'taken', ownerId: holder };
    return attempt(commands, id, { ...command, gone: { ownerId: holder, since } }, meta);
  };

  const release: Claims['release'] = async (kind, value, ownerId, meta) => {
    const command = { type: 'ReleaseClaim', kind, ownerId } as const;
    const id = idOf(kind, value);
    await commands.execute({ decider: claimDecider, id, command, context: () => undefined, meta });
  };

  const releaseAll: Claims['releaseAll'] = async (values, ownerId, meta) => {
    await Promise.all(values.map(({ kind, value }) => release(kind, value, ownerId, meta)));
  };

  const isTaken = async (
    { kind, value }: UniqueValue,
    ownerId: string,
    owners: ClaimOwners,
  ): Promise<boolean> => {
    const { state } = await commands.load(claimDecider, idOf(kind, value));
    if (state.ownerId === null || state.ownerId === ownerId) return false;
    return !isStale(state.since) || (await owners.isThere(state.ownerId));
  };

  return {
    claim,
    ownerOf: async (kind, value) => (await commands.load(claimDecider, idOf(kind, value))).state.ownerId,
    release,
    releaseAll,
    refuseTaken: async (values, ownerId, owners = lasting) => {
      const found = await Promise.all(values.map((value) => isTaken(value, ownerId, owners)));
      const refused = values.filter((_, index) => found[index]);
      if (refused.length > 0) throw taken(refused);
    },
    claimAll: async (values, ownerId, meta, owners, how) => {
      const outcomes = await Promise.all(
        values.map(({ kind, value }) => claim(kind, value, ownerId, meta, owners, how)),
      );
      const gained = values.filter((_, index) => {
        const outcome = outcomes[index];
        return outcome?.kind === 'ok' && outcome.isNew;
      });
      const refused = values.filter((_, index) => outcomes[index]?.kind === 'taken');
      if (refused.length === 0) return gained;
      await releaseAll(gained, ownerId, meta);
      throw taken(refused);
    },
  };
};

/** Those of the values that are not among the others. */
export const without = (
  values: readonly UniqueValue[],
  others: readonly UniqueValue[],
): readonly UniqueValue[] =>
  values.filter(({ kind, value }) => !others.some((other) => other.kind === kind && other.value === value));

/** What came of an act, and the unique values that the owner had before it and has now. */
export interface Acted<Outcome> {
  readonly outcome: Outcome;
  readonly had: readonly UniqueValue[];
  readonly has: readonly UniqueValue[];
}

/**
 * Does what the values were claimed for, and gives back what is not used: what was gained where it is refused, else
 * what the owner had or gained and has no longer.
 */
export const actOnClaims = async <Outcome>(
  claims: Claims,
  gained: readonly UniqueValue[],
  ownerId: string,
  meta: CommandMeta,
  act: () => Promise<Acted<Outcome>>,
): Promise<Outcome> => {
  const { outcome, had, has } = await act().catch(async (error: unknown) => {
    if (error instanceof Rejection) await claims.releaseAll(gained, ownerId, meta);
    throw error;
  });
  await claims.releaseAll(without([...had, ...gained], has), ownerId, meta);
  return outcome;
};
