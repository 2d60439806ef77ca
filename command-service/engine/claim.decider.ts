import { claimEvents, type ClaimEvent } from '#events/customer.events.ts';
import type { Decider } from '#kernel/decider.ts';
import { Rejection } from '#kernel/rejection.ts';

export type ClaimCommand =
  /** `goneOwnerId`: an owner that is known to exist no longer; its claim may be taken over. */
  | {
      readonly type: 'ClaimValue';
      readonly kind: string;
      readonly ownerId: string;
      readonly goneOwnerId?: string;
    }
  | { readonly type: 'ReleaseClaim'; readonly kind: string; readonly ownerId: string };

export interface ClaimState {
  readonly ownerId: string | null;
}

const { ClaimReleased, ValueClaimed } = claimEvents.create;

/** A value that one owner has at a time. A repeat by the same owner is "already so". */
export const claimDecider: Decider<ClaimState, ClaimCommand, ClaimEvent> = {
  category: 'claim',
  initial: () => ({ ownerId: null }),
  decide: ({ ownerId: holder }, command) => {
    const { kind, ownerId } = command;
    if (command.type === 'ReleaseClaim') return holder === ownerId ? [ClaimReleased({ kind, ownerId })] : [];
    if (holder === ownerId) return [];
    if (holder === null) return [ValueClaimed({ kind, ownerId })];
    if (holder === command.goneOwnerId) {
      return [ClaimReleased({ kind, ownerId: holder }), ValueClaimed({ kind, ownerId })];
    }
    throw new Rejection('value-taken', 'This value is taken.', { ownerId: holder });
  },
  on: {
    ValueClaimed: (_, { data: { ownerId } }) => ({ ownerId }),
    ClaimReleased: () => ({ ownerId: null }),
  },
  remembersCommands: false,
};
