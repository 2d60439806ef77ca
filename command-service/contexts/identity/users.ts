import type {
  AddUserBody,
  ChangeUserBody,
  TokenAnswer,
  UserAnswer,
  UsersQuery,
} from '#contracts/users.contract.ts';
import { backofficeUsers, type BackofficeUser } from '#http/backoffice-users.ts';
import type { Tokens } from '#http/tokens.ts';
import { isoInstant, type Clock } from '#kernel/clock.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { DocumentStore, Filter } from '#ports/document-store.ts';
import { hashPassword, isPassword } from './password.ts';

/** Who may use the backoffice. Errors: Rejection; `EngineUnavailable`. */
export interface Users {
  /** Errors: `already-exists`. */
  add(user: AddUserBody): Promise<UserAnswer>;
  /** A page of users, by e-mail address, and how many there are. */
  list(query: UsersQuery): Promise<{ readonly items: readonly UserAnswer[]; readonly total: number }>;
  /** Errors: `entity-not-found`. */
  get(id: string): Promise<UserAnswer>;
  /** Replaces the given fields. Tokens from before end when something changes. Errors: `entity-not-found`. */
  change(id: string, changes: ChangeUserBody): Promise<UserAnswer>;
  /** Their tokens end at once. Errors: `entity-not-found`. */
  disable(id: string): Promise<UserAnswer>;
  /** A token without a password, for those who may issue one. Errors: `entity-not-found`, also for the disabled. */
  issueToken(id: string, hours: number): Promise<TokenAnswer>;
  /** Errors: `unauthenticated`, alike for every failure and after the same work. */
  signIn(email: string, password: string): Promise<TokenAnswer>;
}

export interface UsersOptions {
  readonly stateStore: DocumentStore;
  readonly clock: Clock;
  readonly tokens: Tokens;
  /** How long a sign-in lasts. */
  readonly tokenHours: number;
}

/** Makes the e-mail address comparable. */
const normal = (email: string): string => email.trim().toLowerCase();

/** The id of whoever has this e-mail address. */
export const userIdOf = (email: string): string => derivedId('backofficeUser', normal(email));

/** Declares its collection; call it once at start. */
export const createUsers = async ({
  stateStore,
  clock,
  tokens,
  tokenHours,
}: UsersOptions): Promise<Users> => {
  await stateStore.declare(backofficeUsers, [{ fields: ['email'] }]);

  const tokenFor = ({ _id, role, tokenVersion = 0 }: BackofficeUser, hours: number): TokenAnswer => ({
    ...tokens.issue(_id, hours, tokenVersion),
    role,
  });

  return {
    add: async ({ email, password, role }) => {
      const now = isoInstant(clock.now());
      const user: BackofficeUser = {
        _id: userIdOf(email),
        email: normal(email),
        role,
        passwordHash: await hashPassword(password),
        isDisabled: false,
        dateCreated: now,
        dateUpdated: now,
      };
      if (await stateStore.insertIfAbsent(backofficeUsers, user)) return answerOf(user);
      throw new Rejection('already-exists', `There is a user ${user.email} already.`);
    },
    list: (query) => listUsers(stateStore, query),
    get: async (id) => {
      const user = await stateStore.get<BackofficeUser>(backofficeUsers, id);
      if (!user) throw noSuchUser();
      return answerOf(user);
    },
    change: (id, changes) => changeUser(stateStore, clock, id, changes),
    disable: (id) => changeUser(stateStore, clock, id, { enabled: false }),
    issueToken: async (id, hours) => {
      const user = await stateStore.get<BackofficeUser>(backofficeUsers, id);
      if (!user || user.isDisabled) throw noSuchUser();
      return tokenFor(user, hours);
    },
    signIn: async (email, password) => {
      const user = await stateStore.get<BackofficeUser>(backofficeUsers, userIdOf(email));
      const isRight = await isPassword(password, user?.passwordHash ?? null);
      if (user && isRight && !user.isDisabled) return tokenFor(user, tokenHours);
      throw new Rejection('unauthenticated', 'E-mail address or password is wrong.');
    },
  };
};

const changeUser = async (
  stateStore: DocumentStore,
  clock: Clock,
  id: string,
  { role, password, enabled }: ChangeUserBody,
): Promise<UserAnswer> => {
  const before = await stateStore.get<BackofficeUser>(backofficeUsers, id);
  if (!before) throw noSuchUser();
  const isNewRole = role !== undefined && role !== before.role;
  const isSwitched = enabled !== undefined && enabled === before.isDisabled;
  if (!isNewRole && !isSwitched && password === undefined) return answerOf(before);
  const set = {
    ...(role === undefined ? {} : { role }),
    ...(enabled === undefined ? {} : { isDisabled: !enabled }),
    ...(password === undefined ? {} : { passwordHash: await hashPassword(password) }),
    dateUpdated: isoInstant(clock.now()),
  };
  // In one write: no token is issued that has the new version and the old rights.
  const patch = { set, increment: { tokenVersion: 1 } };
  const user = await stateStore.updateIf<BackofficeUser>(backofficeUsers, { _id: id }, patch);
  if (!user) throw noSuchUser();
  return answerOf(user);
};

const listUsers = async (
  stateStore: DocumentStore,
  { page, pageSize, search }: UsersQuery,
): ReturnType<Users['list']> => {
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
  return { items: users.map(answerOf), total };
};

const noSuchUser = (): Rejection => new Rejection('entity-not-found', 'There is no such user.');

const answerOf = ({
  _id,
  email,
  role,
  isDisabled,
  dateCreated,
  dateUpdated,
}: BackofficeUser): UserAnswer => ({
  id: _id,
  email,
  role,
  enabled: !isDisabled,
  isDisabled,
  dateCreated,
  dateUpdated,
});
