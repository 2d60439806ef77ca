import {
  backofficeUserEvents,
  type BackofficeUserEvent,
  type StaffRole,
} from '#events/backoffice-user.events.ts';
import type { Decider } from '#kernel/decider.ts';

/** What has become of a user; it is decided on the user's record, and holds. */
export type UserChange =
  | { readonly what: 'added'; readonly email: string; readonly role: StaffRole }
  | { readonly what: 'role'; readonly role: StaffRole; readonly formerRole: StaffRole }
  | { readonly what: 'password' }
  | { readonly what: 'disabled' }
  | { readonly what: 'enabled' }
  | { readonly what: 'token'; readonly role: StaffRole; readonly expiresAt: string };

/** It only has to be said once. `changedAt`: an ISO instant. */
export interface RecordUserChanges {
  readonly type: 'RecordUserChanges';
  readonly changedAt: string;
  readonly changes: readonly UserChange[];
}

const {
  BackofficeUserAdded,
  BackofficeUserRoleChanged,
  BackofficeUserPasswordChanged,
  BackofficeUserDisabled,
  BackofficeUserEnabled,
  BackofficeTokenIssued,
} = backofficeUserEvents.create;

const eventOf = (change: UserChange, changedAt: string): BackofficeUserEvent => {
  switch (change.what) {
    case 'added':
      return BackofficeUserAdded({ email: change.email, role: change.role, changedAt });
    case 'role':
      return BackofficeUserRoleChanged({ role: change.role, formerRole: change.formerRole, changedAt });
    case 'password':
      return BackofficeUserPasswordChanged({ changedAt });
    case 'disabled':
      return BackofficeUserDisabled({ changedAt });
    case 'enabled':
      return BackofficeUserEnabled({ changedAt });
    case 'token':
      return BackofficeTokenIssued({ role: change.role, expiresAt: change.expiresAt, changedAt });
  }
};

type NothingKept = Readonly<Record<string, never>>;

const same = (state: NothingKept): NothingKept => state;

/** The history of a user (docs/rules/identity.md#what-is-recorded). Each change has a command id of its own. */
export const backofficeUserDecider: Decider<NothingKept, RecordUserChanges, BackofficeUserEvent> = {
  category: 'backofficeUser',
  initial: () => ({}),
  decide: (_, { changes, changedAt }) => changes.map((change) => eventOf(change, changedAt)),
  on: {
    BackofficeUserAdded: same,
    BackofficeUserRoleChanged: same,
    BackofficeUserPasswordChanged: same,
    BackofficeUserDisabled: same,
    BackofficeUserEnabled: same,
    BackofficeTokenIssued: same,
  },
  remembersCommands: { last: 1000 },
  subject: (id) => ({ id }),
};
