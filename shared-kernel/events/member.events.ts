import { defineEvents, type EventOf } from './define-events.ts';
import { guid } from './fields.ts';

/** What shoppers do with their accounts, which are no events themselves (docs/rules/members.md#where). */
export const memberEvents = defineEvents('members', {
  /**
   * A new password was requested; recorded for an address without an account too, so that the log tells as little as
   * the response. Stream `passwordReset-<id of the request>`.
   */
  PasswordResetRequested: {
    /** Null: there is no such account. */
    memberId: guid.nullable(),
    /** The customer that the account is linked to. */
    customerId: guid.nullable(),
  },
});
export type MemberEvent = EventOf<typeof memberEvents>;
