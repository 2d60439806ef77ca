import type { CommandMeta } from '#command/engine/command-engine.ts';
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
import type { UserChange } from './backoffice-user.decider.ts';
import { asFound, unrecordedAfter, type RecordChanges, type UserRecord } from './user-changes.ts';

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
  /** Default: the log is not at hand, and is told at the next start. */
  readonly record?: RecordChanges;
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
  record = () => Promise.resolve(),
}: UserActionDeps) => {
  await stateStore.declare(backofficeUsers, [{ fields: ['email'] }, { fields: ['isUnrecorded'] }]);
  const changing = { stateStore, clock, passwords, record };

  const tokenFor = ({ _id, role, tokenVersion = 0 }: BackofficeUser, hours: number): IssuedToken => ({
    ...tokens.issue(_id, hours, tokenVersion),
    role,
  });

  return {
    /** A repeat under the same command id is no second one. Errors: `already-exists`. */
    add: async ({ email, password, role }: NewUser, meta: CommandMeta): Promise<User> => {
      const now = isoInstant(clock.now());
      const added = { what: 'added', email: normalEmail(email), role } as const;
      const user: UserRecord = {
        _id: backofficeUserId(email),
        email: normalEmail(email),
        role,
        passwordHash: await passwords.hash(password, STAFF),
        isDisabled: false,
        dateCreated: now,
        dateUpdated: now,
        ...unrecordedAfter({}, { changes: [added], changedAt: now }, meta),
        ...(meta.commandId !== undefined && { addedUnder: meta.commandId }),
      };
      const isNew = await stateStore.insertIfAbsent(backofficeUsers, user);
      const kept = isNew ? user : await stateStore.get<UserRecord>(backofficeUsers, user._id);
      const isOwn = isNew || (meta.commandId !== undefined && kept?.addedUnder === meta.commandId);
      if (!kept || !isOwn) throw new Rejection('already-exists', `The user ${user.email} already exists.`);
      await record(kept, meta.reached);
      return shown(kept);
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
    change: (id: string, changes: UserChanges, meta: CommandMeta) => changeUser(changing, id, changes, meta),
    /** Their tokens end at once. Errors: `entity-not-found`. */
    disable: (id: string, meta: CommandMeta) => changeUser(changing, id, { enabled: false }, meta),
    /** A token without a password, for those who may issue one. Errors: `entity-not-found`, also for the disabled. */
    issueToken: (id: string, hours: number, meta: CommandMeta) =>
      issueToken(changing, id, (user) => tokenFor(user, hours), meta),
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

type Changing = Required<Pick<UserActionDeps, 'stateStore' | 'clock' | 'passwords' | 'record'>>;

/** What the changes come to; nothing where all of it is so already. A password that is given is always a change. */
const changesOf = (before: UserRecord, { role, password, enabled }: UserChanges): readonly UserChange[] => {
  const { role: formerRole, isDisabled } = before;
  const changes: UserChange[] = [];
  if (role !== undefined && role !== formerRole) changes.push({ what: 'role', role, formerRole });
  if (password !== undefined) changes.push({ what: 'password' });
  if (enabled === false && !isDisabled) changes.push({ what: 'disabled' });
  if (enabled === true && isDisabled) changes.push({ what: 'enabled' });
  return changes;
};

const changeUser = async (
  { stateStore, clock, passwords, record }: Changing,
  id: string,
  wanted: UserChanges,
  meta: CommandMeta,
): Promise<User> => {
  const { role, password, enabled } = wanted;
  let passwordHash: string | undefined;
  for (;;) {
    const before = await stateStore.get<UserRecord>(backofficeUsers, id);
    if (!before) throw noSuchUser();
    const changedAt = isoInstant(clock.now());
    const changes = changesOf(before, wanted);
    if (changes.length === 0) {
      await record(before, meta.reached);
      return shown(before);
    }
    if (password !== undefined) passwordHash ??= await passwords.hash(password, STAFF);
    const set = {
      ...defined({ role, passwordHash }),
      ...(enabled !== undefined && { isDisabled: !enabled }),
      dateUpdated: changedAt,
      ...unrecordedAfter(before, { changes, changedAt }, meta),
    };
    // In one write: no token is issued that has the new version and the old rights, and nothing changes unrecorded.
    const patch = { set, increment: { tokenVersion: 1 } };
    const user = await stateStore.updateIf<UserRecord>(backofficeUsers, asFound(before), patch);
    if (!user) continue;
    await record(user, meta.reached);
    return shown(user);
  }
};

const issueToken = async (
  { stateStore, clock, record }: Changing,
  id: string,
  tokenFor: (user: UserRecord) => IssuedToken,
  meta: CommandMeta,
): Promise<IssuedToken> => {
  for (;;) {
    const user = await stateStore.get<UserRecord>(backofficeUsers, id);
    if (!user || user.isDisabled) throw noSuchUser();
    const issued = tokenFor(user);
    const { role, expiresUtc: expiresAt } = issued;
    const change = {
      changes: [{ what: 'token', role, expiresAt }],
      changedAt: isoInstant(clock.now()),
    } as const;
    const patch = { set: unrecordedAfter(user, change, meta) };
    const written = await stateStore.updateIf<UserRecord>(backofficeUsers, asFound(user), patch);
    if (!written) continue;
    await record(written, meta.reached);
    return issued;
  }
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
