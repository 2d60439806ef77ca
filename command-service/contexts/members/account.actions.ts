import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import { isoInstant } from '#kernel/clock.ts';
import { defined } from '#kernel/defined.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { members, type Member } from '#runtime/members.ts';
import { splitName } from '#values/address.ts';
import { isEmail, normalEmail } from '#values/email-address.ts';
import { customerStream } from '../customers/customer.stream.ts';
import { knownMail, linkBase, newEmailMail, takenMail, type StoreUrl } from './account-mails.ts';
import type { MemberToken, RequestOrigin } from './member.commands.ts';
import {
  endingLinks,
  findMember,
  insertMember,
  isRight,
  issueFor,
  triedAccount,
  type MemberActionDeps,
  type NewMember,
} from './member-records.ts';
import { confirmNewEmail } from './new-email.ts';
import { passwordProblems } from './password-rules.ts';
import { askForProof } from './proven-address.ts';

/** What a shopper says of themselves to have an account. */
export interface Registration extends NewMember {
  readonly password: string;
}

/** What a member changes; what is missing stays as it is. */
export interface AccountChanges {
  readonly email?: string | null | undefined;
  readonly name?: string | undefined;
  readonly phone?: string | null | undefined;
  readonly acceptsMarketing?: boolean | undefined;
}

/** An account as its member sees it: name and consent are the customer's, where there is one. */
export interface Account {
  readonly member: Member;
  readonly firstName: string;
  readonly lastName: string;
  readonly acceptsMarketing: boolean;
}

export const fullName = ({ firstName, lastName }: Omit<Account, 'member'>): string =>
  `${firstName} ${lastName}`.trim();

/** How a change of a password ended. */
export type PasswordChange =
  | { readonly kind: 'changed'; readonly issued: MemberToken }
  | { readonly kind: 'locked'; readonly endsInSeconds: number };

const refused = (errors: Readonly<Record<string, string>>): Rejection =>
  new Rejection('invalid-request', 'Some fields need your attention.', { errors });

const noEmail = 'This is not an e-mail address.';

/** Before anything is looked up: it is refused alike, whether or not there is such an account. */
const checkRegistration =
  ({ settings }: MemberActionDeps) =>
  ({ email, password }: Registration): void => {
    const problems = passwordProblems(password, settings().password);
    const errors = {
      ...(!isEmail(email) && { email: noEmail }),
      ...(problems.length > 0 && { password: problems.join(' ') }),
    };
    if (Object.keys(errors).length > 0) throw refused(errors);
  };

/** The owner of the address is told that there is an account. */
const tellOwner = async (deps: MemberActionDeps, email: string, storeUrl: StoreUrl): Promise<void> => {
  const { links, apis, settings } = deps;
  const member = await findMember(deps, email);
  const { token, id } = await links.issue(member?._id ?? null);
  const base = linkBase(null, storeUrl, '/checkout/reset-password');
  const mail = knownMail({ to: normalEmail(email), storeName: settings().name, base, token });
  await apis.mails.send(derivedId('account mail', id), member ? mail : { ...mail, to: null });
};

/** The same steps and the same work, whether or not the address has an account: one hash, one link, one mail. */
const register =
  (deps: MemberActionDeps) =>
  async ({ password, ...said }: Registration, { ip }: RequestOrigin, storeUrl: StoreUrl): Promise<void> => {
    const passwordHash = await deps.passwords.hash(password, ip);
    const made = await insertMember(deps, said, passwordHash);
    await (made ? askForProof(deps, made, storeUrl) : tellOwner(deps, said.email, storeUrl));
  };

const existing = async ({ stateStore }: MemberActionDeps, memberId: string): Promise<Member> => {
  const member = await stateStore.get<Member>(members, memberId);
  if (!member) throw new Rejection('unauthenticated', 'Sign in first.');
  return member;
};

const show =
  (deps: MemberActionDeps) =>
  async (memberId: string): Promise<Account> => {
    const member = await existing(deps, memberId);
    const customerId = await deps.apis.members.customerOf(memberId);
    const customer = customerId === null ? null : (await deps.streams.load(customerStream, customerId)).state;
    const own = splitName(member.name);
    const said = customer?.status === 'known' ? customer.fields : { ...own, ...member };
    const { firstName, lastName, acceptsMarketing = false } = said;
    return {
      member,
      firstName: firstName ?? own.firstName,
      lastName: lastName ?? own.lastName,
      acceptsMarketing,
    };
  };

/** The mail to an address that another member or customer has. No link in it changes anything. */
const askForNewEmail = async (
  deps: MemberActionDeps,
  { _id: memberId }: Member,
  email: string,
  storeUrl: StoreUrl,
): Promise<void> => {
  const { apis, links, settings } = deps;
  const [other, customerId] = await Promise.all([findMember(deps, email), apis.members.customerOf(memberId)]);
  const isFree =
    other === null && (customerId === null || (await apis.customers.isFreeFor(customerId, email)));
  const { token, id } = await links.issue(isFree ? memberId : null, email);
  const { name: storeName } = settings();
  const base = linkBase(null, storeUrl, '/account/confirm-email');
  const mail = isFree ? newEmailMail({ to: email, storeName, base, token }) : takenMail(email, storeName);
  await apis.mails.send(derivedId('account mail', id), mail);
};

/** The e-mail address that is asked for, where it is another one. Errors: Rejection `invalid-request`. */
const otherEmail = ({ email: own }: Member, { email: given }: AccountChanges): string | null => {
  const wanted = given?.trim() ?? '';
  if (wanted === '') return null;
  if (!isEmail(wanted)) throw refused({ email: noEmail });
  return normalEmail(wanted) === own ? null : normalEmail(wanted);
};

/** The customer first: the owner's hooks may object, and then nothing has changed. */
const change =
  (deps: MemberActionDeps) =>
  async (
    memberId: string,
    { name, phone, acceptsMarketing }: AccountChanges,
    newEmail: string | null,
    storeUrl: StoreUrl,
    meta: CommandMeta,
  ): Promise<Account> => {
    const { stateStore, streams, apis, clock } = deps;
    const { member, ...shown } = await show(deps)(memberId);
    const customerId = await apis.members.customerOf(memberId);
    // A form sends back what it was shown: that must not move the end of a first name.
    const isRenamed = name !== undefined && name !== fullName(shown);
    const changes = { ...(isRenamed && splitName(name)), ...defined({ acceptsMarketing }) };
    if (customerId !== null && Object.keys(changes).length > 0)
      await streams.send(customerStream, customerId, { type: 'ChangeCustomer', changes }, stepMeta(meta));
    const said = defined({ name, phone, acceptsMarketing });
    const set = { ...said, dateUpdated: isoInstant(clock.now()) };
    if (Object.keys(said).length > 0) await stateStore.updateIf(members, { _id: memberId }, { set });
    if (newEmail !== null) await askForNewEmail(deps, member, newEmail, storeUrl);
    return show(deps)(memberId);
  };

/**
 * Seconds until the next try is allowed; null once the password was seen to be right. A stolen sign-in must not be
 * enough to take an account over. Errors: Rejection `invalid-request`.
 */
const secondsLocked = async (
  deps: MemberActionDeps,
  member: Member,
  currentPassword: string,
  from: RequestOrigin,
): Promise<number | null> => {
  if (currentPassword === '') throw refused({ currentPassword: 'Enter your current password.' });
  const attempt = await deps.lockOut.admit(triedAccount(member.email, member), from);
  if (attempt.isLocked) return attempt.endsInSeconds;
  if (!(await isRight(deps, attempt, currentPassword, member, from)))
    throw refused({ currentPassword: 'This is not your current password.' });
  await attempt.succeeded();
  return null;
};

/**
 * Ends every sign-in but the one that is issued for it and every link to an agent, and voids mailed links. Errors:
 * Rejection `invalid-request`, `conflict`.
 */
const changePassword =
  (deps: MemberActionDeps) =>
  async (
    memberId: string,
    { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
    from: RequestOrigin,
    meta: CommandMeta,
  ): Promise<PasswordChange> => {
    const { settings, passwords, stateStore, clock, links } = deps;
    const member = await existing(deps, memberId);
    const endsInSeconds = await secondsLocked(deps, member, currentPassword, from);
    if (endsInSeconds !== null) return { kind: 'locked', endsInSeconds };
    const isSame = newPassword.normalize('NFKC') === currentPassword.normalize('NFKC');
    const problems = [
      ...(isSame ? ['Choose another one than your current password.'] : []),
      ...passwordProblems(newPassword, settings().password),
    ];
    if (problems.length > 0) throw refused({ newPassword: problems.join(' ') });
    const passwordHash = await passwords.hash(newPassword, from.ip);
    const changes = {
      set: { passwordHash, dateUpdated: isoInstant(clock.now()) },
      increment: { tokenVersion: 1 },
    };
    const { tokenVersion } = member;
    const changed = await endingLinks(deps, memberId, meta, () =>
      stateStore.updateIf<Member>(members, { _id: memberId, tokenVersion }, changes),
    );
    if (!changed) throw new Rejection('conflict', 'The password has just been changed. Sign in again.');
    await links.voidAll(memberId);
    return { kind: 'changed', issued: issueFor(deps, changed) };
  };

/** What members do with their accounts (docs/rules/account.md). Errors: `too-busy` where a password is hashed. */
export const createAccountActions = (deps: MemberActionDeps) => ({
  checkRegistration: checkRegistration(deps),
  register: register(deps),
  show: show(deps),
  /** Null: it is none, or the account's own. */
  otherEmail: async (memberId: string, changes: AccountChanges) =>
    otherEmail(await existing(deps, memberId), changes),
  secondsLocked: async (memberId: string, currentPassword: string, from: RequestOrigin) =>
    secondsLocked(deps, await existing(deps, memberId), currentPassword, from),
  change: change(deps),
  confirmNewEmail: async (memberId: string, given: { email: string; token: string }, meta: CommandMeta) =>
    confirmNewEmail(deps, await existing(deps, memberId), given, meta),
  changePassword: changePassword(deps),
});

export type AccountActions = ReturnType<typeof createAccountActions>;
