import { z } from 'zod';
import { defineEvents, personal, type EventOf } from './define-events.ts';
import { instant, text } from './fields.ts';

const role = z.enum(['admin', 'analyst', 'auditor']);
export type StaffRole = z.output<typeof role>;

/**
 * What became of those who may use the backoffice (docs/rules/identity.md#what-is-recorded). Stream
 * `backofficeUser-<id>`: its data subject is the user, who is nobody's customer. No password and no token is in it.
 * `changedAt` is when it took effect, which may be before it was recorded.
 */
export const backofficeUserEvents = defineEvents('identity', {
  BackofficeUserAdded: { email: personal(text), role, changedAt: instant },
  BackofficeUserRoleChanged: { role, formerRole: role, changedAt: instant },
  BackofficeUserPasswordChanged: { changedAt: instant },
  BackofficeUserDisabled: { changedAt: instant },
  BackofficeUserEnabled: { changedAt: instant },
  /** Without the user's password, by somebody who may. */
  BackofficeTokenIssued: { role, expiresAt: instant, changedAt: instant },
});
export type BackofficeUserEvent = EventOf<typeof backofficeUserEvents>;
