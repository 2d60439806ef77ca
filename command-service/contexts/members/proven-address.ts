import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import { isoInstant } from '#kernel/clock.ts';
import { derivedId } from '#kernel/ids.ts';
import { members, type Member } from '#runtime/members.ts';
import { splitName } from '#values/address.ts';
import { customerStream } from '../customers/customer.stream.ts';
import { confirmMail, linkBase, type StoreUrl } from './account-mails.ts';
import { addressBookStream } from './addresses/address-book.stream.ts';
import type { MemberActionDeps } from './member-records.ts';

/** The account shows from now on what the shop knows of the customer. Staff see it there, and may undo it. */
export const linkTo = async (
  { stateStore, streams, clock }: MemberActionDeps,
  memberId: string,
  customerId: string,
  isProven: boolean,
  meta: CommandMeta,
): Promise<void> => {
  const command = { type: 'ChangeCustomer', changes: { memberKey: memberId } } as const;
  await streams.send(customerStream, customerId, command, meta);
  const now = isoInstant(clock.now());
  const set = { customerId, ...(isProven && { provenAt: now }), dateUpdated: now };
  await stateStore.updateIf(members, { _id: memberId }, { set });
};

/**
 * Opening the link proves that the member reads the account's mail: what the shop knows under that address is theirs.
 * `isSignedIn`: to this account, while they opened it. Else what was chosen before may be a stranger's choice.
 */
export const linkProven = async (
  deps: MemberActionDeps,
  member: Member,
  isSignedIn: boolean,
  meta: CommandMeta,
): Promise<void> => {
  const { _id, email, name, acceptsMarketing = false, provenAt = null } = member;
  const person = { email, acceptsMarketing, ...splitName(name) };
  const customerId = await deps.apis.customers.ensure(person, stepMeta(meta));
  const keepsDefaults = isSignedIn || provenAt !== null;
  // First: once the address counts as proven, a repeat after a kill would keep them.
  const linked = { type: 'LinkAddressBook', customerId, keepsDefaults } as const;
  await deps.streams.send(addressBookStream, _id, linked, stepMeta(meta));
  await linkTo(deps, _id, customerId, true, stepMeta(meta));
};

export const askForProof = async (
  { links, apis, settings }: MemberActionDeps,
  member: Member,
  storeUrl: StoreUrl,
): Promise<void> => {
  const { token, id } = await links.issue(member._id);
  const base = linkBase(null, storeUrl, '/checkout/confirm-email');
  const mail = confirmMail({ to: member.email, storeName: settings().name, base, token });
  await apis.mails.send(derivedId('account mail', id), mail);
};
