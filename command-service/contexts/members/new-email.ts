import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import { isoInstant } from '#kernel/clock.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { DuplicateKey } from '#ports/document-store.ts';
import { members, type EmailChange, type Member } from '#runtime/members.ts';
import { normalEmail } from '#values/email-address.ts';
import { movedMail } from './account-mails.ts';
import type { MemberActionDeps } from './member-records.ts';
import { linkProven } from './proven-address.ts';

const wrongLink = (): Rejection =>
  new Rejection('invalid-request', 'This link is no longer valid. Request a new one.');

/** Gives the account its new address, and notes the one before until everything has followed. */
const moveMember = async (
  { stateStore, clock }: MemberActionDeps,
  member: Member,
  email: string,
  token: string,
): Promise<Member> => {
  const { _id, email: from } = member;
  // Killed before everything had followed.
  if (from === email) return member;
  const mailId = derivedId('e-mail address changed', _id, token);
  const emailChange: EmailChange = { from, mailId, begunAt: clock.now() };
  const set = { email, emailChange, dateUpdated: isoInstant(clock.now()) };
  try {
    const moved = await stateStore.updateIf<Member>(members, { _id, email: from }, { set });
    if (!moved) throw new Rejection('conflict', 'The e-mail address is being changed. Please try again.');
    return moved;
  } catch (error) {
    // Another account has it by now.
    if (error instanceof DuplicateKey) throw wrongLink();
    throw error;
  }
};

/** The address before, which another account may have taken meanwhile: then the new one stays. */
const moveBack = async ({ stateStore }: MemberActionDeps, { _id, email, emailChange }: Member) => {
  if (!emailChange) return;
  const { from, mailId } = emailChange;
  const filter = { _id, email, 'emailChange.mailId': mailId };
  const unset = ['emailChange'];
  try {
    await stateStore.updateIf(members, filter, { set: { email: from }, unset });
  } catch (error) {
    if (!(error instanceof DuplicateKey)) throw error;
    await stateStore.updateIf(members, filter, { unset });
  }
};

const moveCustomer = async (
  deps: MemberActionDeps,
  member: Member,
  customerId: string,
  meta: CommandMeta,
): Promise<void> => {
  try {
    await deps.apis.customers.moveTo(customerId, member.email, stepMeta(meta));
  } catch (error) {
    // A conflict passes: the link is still good for another try.
    if (!(error instanceof Rejection) || error.code === 'conflict') throw error;
    await moveBack(deps, member);
    throw error.code === 'value-taken' ? wrongLink() : error;
  }
};

/**
 * Does for an account that has its new address what follows: the customer has it too, the address before is told, and
 * mailed links are void. Repeatable.
 */
export const finishEmailChange = async (
  deps: MemberActionDeps,
  member: Member,
  meta: CommandMeta,
): Promise<void> => {
  const { stateStore, links, apis, settings } = deps;
  const { _id, emailChange } = member;
  const customerId = await apis.members.customerOf(_id);
  if (customerId === null) await linkProven(deps, member, true, meta);
  else await moveCustomer(deps, member, customerId, meta);
  if (emailChange) await apis.mails.send(emailChange.mailId, movedMail(emailChange.from, settings().name));
  await links.voidAll(_id);
  if (!emailChange) return;
  const filter = { _id, 'emailChange.mailId': emailChange.mailId };
  await stateStore.updateIf(members, filter, { unset: ['emailChange'] });
};

/**
 * Gives an account the address that a mailed link has proven (docs/rules/account.md#another-e-mail-address). The link
 * is used up last: after a kill it does the rest, and so does a job.
 */
export const confirmNewEmail = async (
  deps: MemberActionDeps,
  member: Member,
  given: { readonly email: string; readonly token: string },
  meta: CommandMeta,
): Promise<void> => {
  const email = normalEmail(given.email);
  if (!(await deps.links.isValid(member._id, given.token, email))) throw wrongLink();
  // A kill has cut off a change before this one, whose former address has not been told yet.
  if (member.emailChange && member.email !== email) await finishEmailChange(deps, member, meta);
  await finishEmailChange(deps, await moveMember(deps, member, email, given.token), meta);
};
