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
 */
export const linkProven = async (
  deps: MemberActionDeps,
  member: Member,
  meta: CommandMeta,
): Promise<void> => {
  const { email, name, acceptsMarketing = false } = member;
  const person = { email, acceptsMarketing, ...splitName(name) };
  const customerId = await deps.apis.customers.ensure(person, stepMeta(meta));
  await linkTo(deps, member._id, customerId, true, stepMeta(meta));
  const linked = { type: 'LinkAddressBook', customerId } as const;
  await deps.streams.send(addressBookStream, member._id, linked, stepMeta(meta));
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
