import type { ShopStream } from '#command/engine/streams.ts';
import type { MemberEvent } from '#events/member.events.ts';
import type { RecordPasswordReset } from './member.commands.ts';
import { passwordResetDecider } from './password-reset.decider.ts';

/** Requests for a new password, each in a stream of its own. */
export const passwordResetStream: ShopStream<
  { readonly isRecorded: boolean },
  RecordPasswordReset,
  MemberEvent
> = {
  decider: passwordResetDecider,
  begins: () => true,
  ends: () => true,
};
