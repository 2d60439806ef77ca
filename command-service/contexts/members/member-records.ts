import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { isoInstant } from '#kernel/clock.ts';
import { newId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { DuplicateKey } from '#ports/document-store.ts';
import { members, type Member } from '#runtime/members.ts';
import type { Passwords } from '#runtime/passwords.ts';
import type { Tokens } from '#runtime/tokens.ts';
import { normalEmail } from '#values/email-address.ts';
import type { AccountLinks } from './account-links.ts';
import type { LockOut, PasswordTry, TriedAccount } from './lock-out.ts';
import type { MemberToken, RequestOrigin } from './member.commands.ts';

export interface MemberActionDeps extends CommandDeps {
  readonly tokens: Tokens;
  readonly tokenHours: number;
  readonly passwords: Passwords;
  readonly lockOut: LockOut;
  readonly links: AccountLinks;
}

/** What is said of a new account. */
export interface NewMember {
  readonly email: string;
  readonly name: string;
  readonly phone?: string | null;
  readonly acceptsMarketing?: boolean;
}

export const findMember = async ({ stateStore }: MemberActionDeps, email: string): Promise<Member | null> => {
  const [member] = await stateStore.find<Member>(members, {
    filter: { email: normalEmail(email) },
    limit: 1,
  });
  return member ?? null;
};

export const triedAccount = (email: string, member: Member | null): TriedAccount => ({
  email: normalEmail(email),
  tokenVersion: member?.tokenVersion ?? 0,
});

export const issueFor = (
  { tokens, tokenHours }: MemberActionDeps,
  { _id, tokenVersion }: Member,
): MemberToken => tokens.issue(_id, tokenHours, tokenVersion);

type OpenTry = Extract<PasswordTry, { readonly isLocked: false }>;

/** Hashes for a try that is counted; one that finds no place among those who hash was none. */
export const counted = async <Result>(attempt: OpenTry, hash: () => Promise<Result>): Promise<Result> => {
  try {
    return await hash();
  } catch (error) {
    if (error instanceof Rejection) await attempt.takenBack();
    throw error;
  }
};

export const isRight = (
  { passwords }: MemberActionDeps,
  attempt: OpenTry,
  password: string,
  member: Member | null,
  { ip }: RequestOrigin,
): Promise<boolean> => counted(attempt, () => passwords.isRight(password, member?.passwordHash ?? null, ip));

/**
 * Changes a password and ends every link, as a person who knew the old one may have made it: once before, in case of a
 * kill, and once after, for links made meanwhile.
 */
export const endingLinks = async <Result>(
  { apis }: MemberActionDeps,
  memberId: string,
  meta: CommandMeta,
  change: () => Promise<Result>,
): Promise<Result> => {
  await apis.agentLinks.unlinkAll(memberId, meta);
  const changed = await change();
  await apis.agentLinks.unlinkAll(memberId, meta);
  return changed;
};

/** Null when another request has taken the e-mail address. */
export const insertMember = async (
  { stateStore, clock }: MemberActionDeps,
  { email, ...said }: NewMember,
  passwordHash: string,
): Promise<Member | null> => {
  const now = isoInstant(clock.now());
  const member: Member = {
    _id: newId(),
    email: normalEmail(email),
    ...said,
    passwordHash,
    tokenVersion: 0,
    customerId: null,
    provenAt: null,
    basketId: null,
    dateCreated: now,
    dateUpdated: now,
  };
  try {
    await stateStore.insertIfAbsent(members, member);
    return member;
  } catch (error) {
    if (error instanceof DuplicateKey) return null;
    throw error;
  }
};
