import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { AddUserBody, TokenAnswer, UserAnswer } from '#contracts/users.contract.ts';
import type { Users } from '../contexts/identity/users.ts';
import { userIdOf } from '../contexts/identity/users.ts';
import type { RunningShop } from '#runtime/running-shop.ts';

/** The users of a shop, wherever they are kept. */
export type UserDesk = Pick<Users, 'add' | 'disable' | 'issueToken'> & {
  all(): Promise<readonly UserAnswer[]>;
};

const pageSize = 200;

/** Every page of a list. */
const allPages = async (
  page: (number: number) => Promise<{ readonly items: readonly UserAnswer[]; readonly total: number }>,
): Promise<readonly UserAnswer[]> => {
  const all: UserAnswer[] = [];
  for (let number = 1; ; number++) {
    const { items, total } = await page(number);
    all.push(...items);
    if (items.length === 0 || all.length >= total) return all;
  }
};

/** The users in a state store that nobody else has open. */
export const deskOfStore = (users: Users): UserDesk => ({
  ...users,
  all: () => allPages((page) => users.list({ page, pageSize })),
});

/** The users of a running shop. */
export const deskOfShop = (shop: RunningShop): UserDesk => ({
  add: (user) => shop.call('POST', '/users', user) as Promise<UserAnswer>,
  disable: (id) => shop.call('POST', `/users/${id}/disable`) as Promise<UserAnswer>,
  issueToken: (id, hours) => shop.call('POST', `/users/${id}/token`, { hours }) as Promise<TokenAnswer>,
  all: () =>
    allPages(async (page) => {
      const answer = await shop.call('GET', `/users?page=${page}&pageSize=${pageSize}`);
      const { items, totalItems } = answer as { items: readonly UserAnswer[]; totalItems: number };
      return { items, total: totalItems };
    }),
});

/** The password that somebody piped in, without its line end; null when they did not. */
export const pipedPassword = async (
  input: Readable & { readonly isTTY?: boolean },
): Promise<string | null> => {
  if (input.isTTY) return null;
  return (await text(input)).replace(/\r?\n$/, '') || null;
};

/** Adds a user; answers what to tell. A generated password is shown here and never again. */
export const addUser = async (
  desk: UserDesk,
  user: Omit<AddUserBody, 'password'>,
  password: string | null,
): Promise<string> => {
  const chosen = password ?? randomBytes(15).toString('base64url');
  const { email, role } = await desk.add({ ...user, password: chosen });
  const added = `Added ${email} as ${role}.\n`;
  return password === null ? `${added}Password (shown only now): ${chosen}\n` : added;
};

export const listUsers = async (desk: UserDesk): Promise<string> => {
  const users = await desk.all();
  if (users.length === 0) return 'There are no users yet: tillroll users add --email … --role admin\n';
  return users
    .map(({ email, role, isDisabled }) => `${email}  ${role}${isDisabled ? '  disabled' : ''}\n`)
    .join('');
};

export const disableUser = async (desk: UserDesk, email: string): Promise<string> => {
  await desk.disable(userIdOf(email));
  return `${email} is disabled.\n`;
};

export const printToken = async (desk: UserDesk, email: string, hours: number): Promise<string> =>
  `${(await desk.issueToken(userIdOf(email), hours)).token}\n`;
