import { claimEvents, type ClaimEvent } from '#events/customer.events.ts';
import type { Decider } from '#kernel/decider.ts';
import { Rejection } from '#kernel/rejection.ts';

export type ClaimCommand =
  /** `at`: an ISO instant. `gone`: the claim of an owner that is known not to be there; it may be taken over. */
  | {
      readonly type: 'ClaimValue';
      readonly kind: string;
      readonly ownerId: string;
      readonly at: string;
      readonly gone?: ClaimState;
    }
  | { readonly type: 'ReleaseClaim'; readonly kind: string; readonly ownerId: string };

export interface ClaimState {
  readonly ownerId: string | null;
  /** ISO instant; null where it is unclaimed, or an older release recorded no time. */
  readonly since: string | null;
}

const free: ClaimState = { ownerId: null, since: null };

const { ClaimReleased, ClaimRenewed, ValueClaimed } = claimEvents.create;

/** A value that one owner has at a time. */
export const claimDecider: Decider<ClaimState, ClaimCommand, ClaimEvent> = {
  category: 'claim',
  initial: () => free,
  decide: ({ ownerId: holder, since }, command) => {
    const { kind, ownerId } = command;
    if (command.type === 'ReleaseClaim') return holder === ownerId ? [ClaimReleased({ kind, ownerId })] : [];
    const { at, gone } = command;
    if (holder === ownerId) return since === at ? [] : [ClaimRenewed({ kind, ownerId, at })];
    if (holder === null) return [ValueClaimed({ kind, ownerId, at })];
    if (holder === gone?.ownerId && since === gone.since) {
      return [ClaimReleased({ kind, ownerId: holder }), ValueClaimed({ kind, ownerId, at })];
    }
    throw new Rejection('value-taken', 'This value is taken.', { ownerId: holder, since });
  },
  on: {
    ValueClaimed: (_, { data: { ownerId, at = null } }) => ({ ownerId, since: at }),
    ClaimRenewed: (_, { data: { ownerId, at } }) => ({ ownerId, since: at }),
    ClaimReleased: () => free,
  },
  remembersCommands: false,
};
