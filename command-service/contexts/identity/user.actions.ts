import { isoInstant, type Clock } from '#kernel/clock.ts';
import { defined } from '#kernel/defined.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { DocumentStore, Filter } from '#ports/document-store.ts';
import {
  backofficeUserId,
  backofficeUsers,
  type BackofficeUser,
  type Role,
} from '#runtime/backoffice-users.ts';
import { createPasswords, type Passwords } from '#runtime/passwords.ts';
import type { Tokens } from '#runtime/tokens.ts';
import { normalEmail } from '#values/email-address.ts';

export interface NewUser {
  readonly email: string;
  readonly password: string;
  readonly role: Role;
}

export type UserChanges = Partial<Pick<NewUser, 'password' | 'role'>> & { readonly enabled?: boolean };

/** A user, without anything that is secret. */
export interface User extends Pick<BackofficeUser, 'email' | 'role' | 'isDisabled'> {
  readonly id: string;
  readonly enabled: boolean;
  readonly dateCreated: string;
  readonly dateUpdated: string;
}

export interface IssuedToken {
  readonly token: string;
  readonly expiresUtc: string;
  readonly role: Role;
}

interface WantedUsers {
  readonly page: number;
  readonly pageSize: number;
  readonly search?: string | undefined;
}

export interface UserActionDeps {
  readonly stateStore: DocumentStore;
  readonly clock: Clock;
  readonly tokens: Tokens;
  /** How long a sign-in lasts. */
  readonly tokenHours: number;
  /** Default: one of its own. */
  readonly passwords?: Passwords;
}

/** They share places in the queue of those who sign in, apart from shoppers. */
const STAFF = 'backoffice';

/** Who may use the backoffice. Declares their collection: call it once at start. Errors: `EngineUnavailable`. */
export const createUserActions = async ({
  stateStore,
  clock,
  tokens,
  tokenHours,
  passwords = createPasswords(),
}: UserActionDeps) => {
  await stateStore.declare(backofficeUsers, [{ fields: ['email'] }]);

  const tokenFor = ({ _id, role, tokenVersion = 0 }: BackofficeUser, hours: number): IssuedToken => ({
    ...tokens.issue(_id, hours, tokenVersion),
    role,
  });

  return {
    /** Errors: `already-exists`. */
    add: async ({ email, password, role }: NewUser): Promise<User> => {
      const now = isoInstant(clock.now());
      const user: BackofficeUser = {
        _id: backofficeUserId(email),
        email: normalEmail(email),
        role,
        passwordHash: await passwords.hash(password, STAFF),
        isDisabled: false,
        dateCreated: now,
        dateUpdated: now,
      };
      if (await stateStore.insertIfAbsent(backofficeUsers, user)) return shown(user);
      throw new Rejection('already-exists', `The user ${user.email} already exists.`);
    },
    /** A page of users, by e-mail address, and how many there are. */
    list: (wanted: WantedUsers) => listUsers(stateStore, wanted),
    /** Errors: `entity-not-found`. */
    get: async (id: string): Promise<User> => {
      const user = await stateStore.get<BackofficeUser>(backofficeUsers, id);
      if (!user) throw noSuchUser();
      return shown(user);
    },
    /** Replaces the given fields. Tokens from before end when something changes. Errors: `entity-not-found`. */
    change: (id: string, changes: UserChanges) => changeUser({ stateStore, clock, passwords }, id, changes),
    /** Their tokens end at once. Errors: `entity-not-found`. */
    disable: (id: string) => changeUser({ stateStore, clock, passwords }, id, { enabled: false }),
    /** A token without a password, for those who may issue one. Errors: `entity-not-found`, also for the disabled. */
    issueToken: async (id: string, hours: number): Promise<IssuedToken> => {
      const user = await stateStore.get<BackofficeUser>(backofficeUsers, id);
      if (!user || user.isDisabled) throw noSuchUser();
      return tokenFor(user, hours);
    },
    /** Errors: `unauthenticated`, alike for every failure and after the same work. */
    signIn: async (email: string, password: string): Promise<IssuedToken> => {
      const user = await stateStore.get<BackofficeUser>(backofficeUsers, backofficeUserId(email));
      const isRight = await passwords.isRight(password, user?.passwordHash ?? null, STAFF);
      if (user && isRight && !user.isDisabled) return tokenFor(user, tokenHours);
      throw new Rejection('unauthenticated', 'E-mail address or password is wrong.');
    },
  };
};

export type UserActions = Awaited<ReturnType<typeof createUserActions>>;

const changeUser = async (
  { stateStore, clock, passwords }: Required<Pick<UserActionDeps, 'stateStore' | 'clock' | 'passwords'>>,
  id: string,
  { role, password, enabled }: UserChanges,
): Promise<User> => {
  const before = await stateStore.get<BackofficeUser>(backofficeUsers, id);
  if (!before) throw noSuchUser();
  const isNewRole = role !== undefined && role !== before.role;
  const isSwitched = enabled !== undefined && enabled === before.isDisabled;
  if (!isNewRole && !isSwitched && password === undefined) return shown(before);
  const set = {
    ...defined({ role }),
    ...(enabled !== undefined && { isDisabled: !enabled }),
    ...(password !== undefined && { passwordHash: await passwords.hash(password, STAFF) }),
    dateUpdated: isoInstant(clock.now()),
  };
  // In one write: no token is issued that has the new version and the old rights.
  const patch = { set, increment: { tokenVersion: 1 } };
  const user = await stateStore.updateIf<BackofficeUser>(backofficeUsers, { _id: id }, patch);
  if (!user) throw noSuchUser();
  return shown(user);
};

const listUsers = async (
  stateStore: DocumentStore,
  { page, pageSize, search }: WantedUsers,
): Promise<{ readonly items: readonly User[]; readonly total: number }> => {
  const wanted = search?.toLowerCase();
  const filter: Filter = wanted ? { email: { gte: '', contains: wanted } } : {};
  const [users, total] = await Promise.all([
    stateStore.find<BackofficeUser>(backofficeUsers, {
      filter,
      sort: [['email', 1]],
      skip: (page - 1) * pageSize,
      limit: pageSize,
    }),
    stateStore.count(backofficeUsers, filter),
  ]);
  return { items: users.map(shown), total };
};

const noSuchUser = (): Rejection => new Rejection('entity-not-found', 'There is no such user.');

const shown = ({ _id, email, role, isDisabled, dateCreated, dateUpdated }: BackofficeUser): User => ({
  id: _id,
  email,
  role,
  enabled: !isDisabled,
  isDisabled,
  dateCreated,
  dateUpdated,
});
