import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import { backofficeUserId } from '#runtime/backoffice-users.ts';
import type { IssuedToken, NewUser, User, UserActions } from '../contexts/identity/user.actions.ts';
import type { RunningShop } from '#runtime/running-shop.ts';

/** The users of a shop, wherever they are kept. */
export interface Users {
  add(user: NewUser): Promise<User>;
  disable(id: string): Promise<User>;
  issueToken(id: string, hours: number): Promise<IssuedToken>;
  all(): Promise<readonly User[]>;
}

const pageSize = 200;

/** Every page of a list. */
const allPages = async (
  page: (number: number) => Promise<{ readonly items: readonly User[]; readonly total: number }>,
): Promise<readonly User[]> => {
  const all: User[] = [];
  for (let number = 1; ; number++) {
    const { items, total } = await page(number);
    all.push(...items);
    if (items.length === 0 || all.length >= total) return all;
  }
};

/** The users in a state store that no other process has open. */
export const usersOfStore = (actions: UserActions, meta: CommandMeta): Users => ({
  add: (user) => actions.add(user, meta),
  disable: (id) => actions.disable(id, meta),
  issueToken: (id, hours) => actions.issueToken(id, hours, meta),
  all: () => allPages((page) => actions.list({ page, pageSize })),
});

export const usersOfShop = (shop: RunningShop): Users => ({
  add: (user) => shop.call('POST', '/users', user) as Promise<User>,
  disable: (id) => shop.call('POST', `/users/${id}/disable`) as Promise<User>,
  issueToken: (id, hours) => shop.call('POST', `/users/${id}/token`, { hours }) as Promise<IssuedToken>,
  all: () =>
    allPages(async (page) => {
      const answer = await shop.call('GET', `/users?page=${page}&pageSize=${pageSize}`);
      const { items, totalItems } = answer as { items: readonly User[]; totalItems: number };
      return { items, total: totalItems };
    }),
});

/** The password piped in, without its line end; null when none was. */
export const pipedPassword = async (
  input: Readable & { readonly isTTY?: boolean },
): Promise<string | null> => {
  if (input.isTTY) return null;
  return (await text(input)).replace(/\r?\n$/, '') || null;
};

/** Adds a user; returns what to tell. A generated password is shown here and never again. */
export const addUser = async (
  users: Users,
  user: Omit<NewUser, 'password'>,
  password: string | null,
): Promise<string> => {
  const chosen = password ?? randomBytes(15).toString('base64url');
  const { email, role } = await users.add({ ...user, password: chosen });
  const added = `Added ${email} as ${role}.\n`;
  return password === null ? `${added}Password (shown only now): ${chosen}\n` : added;
};

/** With the ids by which events, rebuilds and retries name them. */
export const listUsers = async (users: Users): Promise<string> => {
  const all = await users.all();
  if (all.length === 0) return 'There are no users yet: tillroll users add --email … --role admin\n';
  return all
    .map(({ id, email, role, isDisabled }) => `${email}  ${role}  ${id}${isDisabled ? '  disabled' : ''}\n`)
    .join('');
};

export const disableUser = async (users: Users, email: string): Promise<string> => {
  await users.disable(backofficeUserId(email));
  return `${email} is disabled.\n`;
};

export const printToken = async (users: Users, email: string, hours: number): Promise<string> =>
  `${(await users.issueToken(backofficeUserId(email), hours)).token}\n`;
