import { memberEvents, type MemberEvent } from '#events/member.events.ts';
import type { Decider } from '#kernel/decider.ts';
import type { RecordPasswordReset } from './member.commands.ts';

/** One request for a new password, of which the owner's handlers are told (docs/rules/members.md#links). */
export const passwordResetDecider: Decider<
  { readonly isRecorded: boolean },
  RecordPasswordReset,
  MemberEvent
> = {
  category: 'passwordReset',
  initial: () => ({ isRecorded: false }),
  decide: ({ isRecorded }, { memberId, customerId }) =>
    isRecorded ? [] : [memberEvents.create.PasswordResetRequested({ memberId, customerId })],
  on: { PasswordResetRequested: () => ({ isRecorded: true }) },
  remembersCommands: false,
};
