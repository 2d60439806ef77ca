import { defineEvents, type EventOf } from './define-events.ts';
import { guid } from './fields.ts';

/** What shoppers do with their accounts, which are no events themselves (docs/rules/members.md#where). */
export const memberEvents = defineEvents('members', {
  /**
   * Somebody has asked for a new password; of an address that nobody has an account with, too, so that the log tells as
   * little of it as the answer does. Stream `passwordReset-<id of the request>`.
   */
  PasswordResetRequested: {
    /** Null: there is no such account. */
    memberId: guid.nullable(),
    /** The customer that the account is linked to. */
    customerId: guid.nullable(),
  },
});
export type MemberEvent = EventOf<typeof memberEvents>;
