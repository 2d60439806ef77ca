import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import { isoInstant } from '#kernel/clock.ts';
import { memberIdOf } from '#kernel/event.ts';
import { derivedId } from '#kernel/ids.ts';
import { members, type Member } from '#runtime/members.ts';
import { normalEmail } from '#values/email-address.ts';
import { LINK_MINUTES } from './account-links.ts';
import { linkBase, linkOf, type StoreUrl } from './account-mails.ts';
import { addressBookStream } from './addresses/address-book.stream.ts';
import { defaultAddressesOf } from './addresses/address-book.state.ts';
import type { RequestOrigin, MembersApi, MemberToken, SignedIn } from './member.commands.ts';
import {
  counted,
  endingLinks,
  findMember,
  insertMember,
  isRight,
  issueFor,
  triedAccount,
  type MemberActionDeps,
} from './member-records.ts';
import { passwordProblems } from './password-rules.ts';
import { passwordResetStream } from './password-reset.stream.ts';
import { askForProof, linkProven, linkTo } from './proven-address.ts';

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** How a reset of a password ended; `problems`: what the new one lacks. */
export type PasswordReset =
  | { readonly kind: 'reset'; readonly memberId: string; readonly issued: () => MemberToken }
  | { readonly kind: 'refused'; readonly message: string; readonly problems: readonly string[] };

const wrongPassword = 'E-mail address or password is wrong.';
const wrongLink = 'This link is no longer valid. Request a new one.';

const minutesOf = (seconds: number): string => {
  const minutes = Math.ceil(seconds / 60);
  return minutes === 1 ? 'a minute' : `${minutes} minutes`;
};

/** The same steps and the same work, whether or not the account exists. */
const signIn =
  (deps: MemberActionDeps) =>
  async ({ email, password }: Credentials, from: RequestOrigin): Promise<SignedIn> => {
    const member = await findMember(deps, email);
    const attempt = await deps.lockOut.admit(triedAccount(email, member), from);
    const { failedAttempts } = attempt;
    if (attempt.isLocked) {
      const message = `Too many failed attempts. Try again in ${minutesOf(attempt.endsInSeconds)}, or ask for a new password.`;
      return { kind: 'refused', failedAttempts, message };
    }
    if (!(await isRight(deps, attempt, password, member, from)) || member === null)
      return { kind: 'refused', failedAttempts, message: wrongPassword };
    await attempt.succeeded();
    return { kind: 'signedIn', member, issued: issueFor(deps, member) };
  };

const enter =
  (deps: MemberActionDeps): MembersApi['enter'] =>
  async ({ email, password, name }, from) => {
    const { passwords, lockOut, settings } = deps;
    const member = await findMember(deps, email);
    const attempt = await lockOut.admit(triedAccount(email, member), from);
    if (attempt.isLocked) return null;
    const entered = async (who: Member, isNew: boolean) => {
      await attempt.succeeded();
      return { ...issueFor(deps, who), memberId: who._id, isNew };
    };
    const signedIn = async (known: Member | null) =>
      (await isRight(deps, attempt, password, known, from)) && known !== null ? entered(known, false) : null;
    const isUnusable = member === null && passwordProblems(password, settings().password).length > 0;
    // One hash in every case: what is too weak costs as much as what is wrong.
    if (member || isUnusable) return signedIn(member);
    const passwordHash = await counted(attempt, () => passwords.hash(password, from.ip));
    const made = await insertMember(deps, { email, name }, passwordHash);
    // Of two at once, one makes the account and the other signs in to it.
    return made === null ? signedIn(await findMember(deps, email)) : entered(made, true);
  };

const link =
  (deps: MemberActionDeps): MembersApi['link'] =>
  async (memberId, { customerId, basketId, isNew }, storeUrl, meta) => {
    const { stateStore, apis } = deps;
    const member = await stateStore.get<Member>(members, memberId);
    if (!member) return;
    if (isNew) await askForProof(deps, member, storeUrl);
    if (member.customerId === null && (await apis.customers.isMadeBy(customerId, basketId)))
      await linkTo(deps, memberId, customerId, false, meta);
  };

/** Links go last, and on a repeat too: none can be requested while there is no account. */
const remove =
  ({ stateStore, streams, apis, links }: MemberActionDeps): MembersApi['remove'] =>
  async (memberId, customerId, meta) => {
    const member = await stateStore.get<Member>(members, memberId);
    if (member && (member.customerId ?? customerId) !== customerId) return;
    if (member) {
      await streams.send(addressBookStream, memberId, { type: 'CloseAddressBook' }, stepMeta(meta));
      await apis.agentLinks.close(memberId, stepMeta(meta));
    }
    await stateStore.deleteMany(members, { _id: memberId }, 1);
    await links.voidAll(memberId);
  };

/** The same amount is written for an address without an account. */
const forgotPassword =
  (deps: MemberActionDeps) =>
  async (
    email: string,
    {
      resetBaseUrl,
      storeUrl,
    }: { readonly resetBaseUrl: string | null | undefined; readonly storeUrl: StoreUrl },
    meta: CommandMeta,
  ): Promise<void> => {
    const { links, apis, streams } = deps;
    const member = await findMember(deps, email);
    const memberId = member?._id ?? null;
    const { token, id } = await links.issue(memberId);
    const asked = { type: 'RecordPasswordReset', memberId, customerId: member?.customerId ?? null } as const;
    await streams.send(passwordResetStream, derivedId('password reset', id), asked, stepMeta(meta));
    const base = linkBase(resetBaseUrl, storeUrl, '/checkout/reset-password');
    const to = normalEmail(email);
    const reset = {
      customerEmail: to,
      resetLink: linkOf({ base, to, token }),
      linkValidMinutes: LINK_MINUTES,
    };
    await apis.mails.tell(derivedId('account mail', id), {
      topic: 'customer.password_reset',
      notification: member ? reset : null,
      subject: null,
    });
  };

/** The member whose link it is, not used yet; null for any other. */
const memberOfLink = async (deps: MemberActionDeps, email: string, token: string): Promise<Member | null> => {
  const member = await findMember(deps, email);
  const isValid = await deps.links.isValid(member?._id ?? '', token);
  return isValid ? member : null;
};

/**
 * Sets a password through a mailed link, which proves the address, and ends every sign-in and every link to an agent: a
 * stranger may have made the account. Uses up the link before anything else, so that of two requests only one changes
 * the password.
 */
const setPassword =
  (deps: MemberActionDeps) =>
  async (
    { email, token, newPassword }: { email: string; token: string; newPassword: string },
    { ip }: Pick<RequestOrigin, 'ip'>,
    meta: CommandMeta,
  ): Promise<PasswordReset> => {
    const { settings, passwords, stateStore, clock, links } = deps;
    const member = await memberOfLink(deps, email, token);
    if (!member) return { kind: 'refused', message: wrongLink, problems: [] };
    const problems = passwordProblems(newPassword, settings().password);
    if (problems.length > 0) return { kind: 'refused', message: problems.join(' '), problems };
    const passwordHash = await passwords.hash(newPassword, ip);
    if (!(await links.use(member._id, token))) return { kind: 'refused', message: wrongLink, problems: [] };
    const set = { passwordHash, dateUpdated: isoInstant(clock.now()) };
    const changes = { set, increment: { tokenVersion: 1 } };
    const changed = await endingLinks(deps, member._id, meta, () =>
      stateStore.updateIf<Member>(members, { _id: member._id }, changes),
    );
    await links.voidAll(member._id);
    await linkProven(deps, member, memberIdOf(meta.actor) === member._id, meta);
    return { kind: 'reset', issued: () => issueFor(deps, changed ?? member), memberId: member._id };
  };

/** The accounts of shoppers. Declares their collection: call it once at start. */
export const createMemberActions = async (deps: MemberActionDeps) => {
  const { stateStore, settings } = deps;
  await stateStore.declare(members, [
    { fields: ['email'], unique: true },
    { fields: ['emailChange.begunAt'] },
  ]);
  return {
    signIn: signIn(deps),
    enter: enter(deps),
    link: link(deps),
    remove: remove(deps),
    removeByEmail: async (email: string, customerId: string, meta: CommandMeta) => {
      const member = await findMember(deps, email);
      if (member) await remove(deps)(member._id, customerId, meta);
    },
    emailOf: async (memberId: string) => (await stateStore.get<Member>(members, memberId))?.email ?? null,
    versionOf: async (memberId: string) =>
      (await stateStore.get<Member>(members, memberId))?.tokenVersion ?? null,
    defaultAddresses: async (memberId: string) =>
      defaultAddressesOf((await deps.streams.recall(addressBookStream, memberId)).state),
    passwordProblems: (password: string) =>
      password === '' ? ['Enter a password.'] : passwordProblems(password, settings().password),
    forgotPassword: forgotPassword(deps),
    isLinkValid: async (email: string, token: string) => (await memberOfLink(deps, email, token)) !== null,
    setPassword: setPassword(deps),
    /** The token of a link that proves an account's address; null where there is no account. */
    linkFor: async (email: string) => {
      const member = await findMember(deps, email);
      return member && (await deps.links.issue(member._id)).token;
    },
  };
};

export type MemberActions = Awaited<ReturnType<typeof createMemberActions>>;
