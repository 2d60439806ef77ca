import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import { isoInstant } from '#kernel/clock.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { DuplicateKey } from '#ports/document-store.ts';
import { members, type Member } from '#runtime/members.ts';
import { normalEmail } from '#values/email-address.ts';
import { movedMail } from './account-mails.ts';
import type { MemberActionDeps } from './member-records.ts';
import { linkProven } from './proven-address.ts';

const wrongLink = (): Rejection =>
  new Rejection('invalid-request', 'This link is no longer valid. Request a new one.');

/** Gives the account its new address, and remembers the one before until everything has followed. */
const moveMember = async (
  { stateStore, clock }: MemberActionDeps,
  { _id, email: before, previousEmail }: Member,
  email: string,
): Promise<string | null> => {
  // Killed before everything had followed.
  if (before === email) return previousEmail ?? null;
  const set = { email, previousEmail: before, dateUpdated: isoInstant(clock.now()) };
  try {
    const moved = await stateStore.updateIf(members, { _id, email: before }, { set });
    if (!moved) throw new Rejection('conflict', 'The e-mail address is being changed. Please try again.');
    return before;
  } catch (error) {
    // Somebody has made an account with it meanwhile.
    if (error instanceof DuplicateKey) throw wrongLink();
    throw error;
  }
};

/** The address before, which another account may have taken meanwhile: then the new one stays. */
const moveBack = async (
  { stateStore }: MemberActionDeps,
  { _id }: Member,
  email: string,
  before: string,
): Promise<void> => {
  try {
    await stateStore.updateIf(members, { _id, email }, { set: { email: before }, unset: ['previousEmail'] });
  } catch (error) {
    if (!(error instanceof DuplicateKey)) throw error;
  }
};

const moveCustomer = async (
  deps: MemberActionDeps,
  member: Member,
  customerId: string,
  email: string,
  before: string | null,
  meta: CommandMeta,
): Promise<void> => {
  try {
    await deps.apis.customers.moveTo(customerId, email, stepMeta(meta));
  } catch (error) {
    // A conflict passes: the link is still good for another try.
    if (!(error instanceof Rejection) || error.code === 'conflict') throw error;
    if (before !== null) await moveBack(deps, member, email, before);
    throw error.code === 'value-taken' ? wrongLink() : error;
  }
};

/**
 * Gives an account the address that a mailed link has proven (docs/rules/account.md#another-e-mail-address). The link
 * is used up last: after a kill it does the rest.
 */
export const confirmNewEmail = async (
  deps: MemberActionDeps,
  member: Member,
  given: { readonly email: string; readonly token: string },
  meta: CommandMeta,
): Promise<void> => {
  const { stateStore, links, apis, settings } = deps;
  const { _id: memberId } = member;
  const email = normalEmail(given.email);
  if (!(await links.isValid(memberId, given.token, email))) throw wrongLink();
  const customerId = await apis.members.customerOf(memberId);
  const before = await moveMember(deps, member, email);
  if (customerId === null) await linkProven(deps, { ...member, email }, meta);
  else await moveCustomer(deps, member, customerId, email, before, meta);
  const told = derivedId('e-mail address changed', memberId, given.token);
  if (before !== null) await apis.mails.send(told, movedMail(before, settings().name));
  await links.voidAll(memberId);
  await stateStore.updateIf(members, { _id: memberId }, { unset: ['previousEmail'] });
};
