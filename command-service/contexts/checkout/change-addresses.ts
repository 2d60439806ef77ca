import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isSameJson } from '#kernel/same-json.ts';
import { isShippingCountry } from '#reference/location.ts';
import { splitName } from '#values/address.ts';
import { orderBeingPlaced } from '../basket/basket.state.ts';
import type { RequestOrigin, EnteredMember, MemberToken } from '../members/member.commands.ts';
import {
  checkAddresses,
  checkOneAddress,
  type CheckedAddresses,
  type GivenAddresses,
} from './check-address.ts';
import type { ChangeAddresses, CheckoutApi } from './checkout.commands.ts';
import { checkoutStream } from './checkout.stream.ts';
import { withDefaults } from './default-addresses.ts';
import { change, changing, findBasket, type CheckoutDeps, type FoundBasket } from './found-basket.ts';

/** Who gives addresses: from where, and where the links in their mails lead to. */
export interface AddressesFrom extends RequestOrigin {
  readonly storeUrl: string | null;
}

type GoodAddresses = Omit<Extract<CheckedAddresses, { readonly kind: 'valid' }>, 'kind'>;

const refused = (errors: Readonly<Record<string, string>>): Rejection =>
  new Rejection('invalid-address', 'Some fields need your attention.', { errors });

export const checkedAddress: CheckoutApi['checkedAddress'] = (given) => {
  const checked = checkOneAddress(given);
  if (checked.kind === 'invalid') throw refused(checked.errors);
  return checked.address;
};

export const addressProblems: CheckoutApi['addressProblems'] = (given) => {
  const checked = checkOneAddress(given);
  return checked.kind === 'invalid' ? checked.errors : {};
};

/** The same for a wrong password and for a weak one, so that it does not reveal whether an account exists. */
const unusablePassword = 'This password cannot be used for this e-mail address.';

const check = (
  { settings, reference }: CommandDeps,
  { basket }: FoundBasket,
  given: GivenAddresses,
  isMember: boolean,
): GoodAddresses => {
  const checked = checkAddresses(given, {
    billingPhoneRequired: settings().billingPhoneRequired,
    shipsTo: (countryCode) => isShippingCountry(reference.shipping, countryCode),
    needsAccount: !isMember && basket.lines.some(({ isDigital }) => isDigital),
  });
  if (checked.kind === 'invalid') throw refused(checked.errors);
  const { kind: _, ...addresses } = checked;
  return addresses;
};

/** Asks the owner's hooks before a customer is made known, whom a refusal would leave behind. */
const rehearse = (
  { streams }: CommandDeps,
  { basketId }: FoundBasket,
  addresses: Omit<ChangeAddresses, 'type'>,
  meta: CommandMeta,
): Promise<void> => {
  const command = { type: 'ChangeAddresses', ...addresses } as const;
  return streams.rehearse(checkoutStream, basketId, command, meta);
};

/** A shopper who gave a password, and the basket that now belongs to them. */
interface Entered {
  readonly member: EnteredMember | null;
  readonly basketId: string | null;
  readonly warnings: readonly string[];
}

const passwordOf = ({ password }: GivenAddresses): string | null => (password?.trim() ? password : null);

/**
 * Signs in, or makes an account, once everything else has been seen to be right; then the basket is priced for them.
 * Errors: Rejection `invalid-address`, `too-busy`.
 */
const enter = async (
  deps: CheckoutDeps,
  basketId: string | null,
  given: GivenAddresses,
  from: RequestOrigin,
  meta: CommandMeta,
): Promise<Entered> => {
  const password = passwordOf(given);
  if (password === null) return { member: null, basketId, warnings: [] };
  const found = await findBasket(deps, basketId);
  if (found.isBeingPlaced) throw orderBeingPlaced();
  const addresses = check(deps, found, given, true);
  if (deps.commands.isHooked) await rehearse(deps, found, { customerId: '', ...addresses }, meta);
  const { members } = deps.apis;
  const { email, billingAddress } = addresses;
  const member = await members.enter({ email, password, name: billingAddress.name }, from);
  if (!member) throw refused({ password: unusablePassword });
  const taken = await members.takeBasket(member.memberId, found.basketId, stepMeta(meta));
  return { member, basketId: taken.basketId ?? found.basketId, warnings: taken.warnings };
};

/** What an agent tells of its buyer: the e-mail address, where there is one, makes them a customer. */
export const nameBuyer =
  (deps: CheckoutDeps): CheckoutApi['nameBuyer'] =>
  (basketId, { firstName, lastName, ...addresses }, ip, meta) =>
    changing(deps, basketId, async (found) => {
      if (found.isBeingPlaced) throw orderBeingPlaced();
      const { email, acceptsMarketing, billingAddress, shippingAddress } = addresses;
      const shippingSameAsBilling = isSameJson(billingAddress, shippingAddress);
      const told = { ...addresses, shippingSameAsBilling, isThroughAgent: true } as const;
      if (deps.commands.isHooked) await rehearse(deps, found, { customerId: null, ...told }, meta);
      const person = { acceptsMarketing, firstName, lastName, basketId: found.basketId };
      const admission = ip === null ? undefined : deps.newCustomers(ip);
      const customerId =
        email === null
          ? null
          : await deps.apis.customers.ensure({ ...person, email }, stepMeta(meta), admission);
      const changed = await change(deps, found, { type: 'ChangeAddresses', customerId, ...told }, meta);
      return { changed: await deps.taxes.estimate(changed, meta) };
    }).then(({ changed }) => changed);

const signedInAs = (member: EnteredMember) => ({
  memberId: member.memberId,
  issued: { token: member.token, expiresUtc: member.expiresUtc } satisfies MemberToken,
});

/**
 * Saves the addresses; a member who sends none gets their defaults. Errors: Rejection `invalid-address` with a problem
 * for each field; `too-busy`.
 */
export const changeAddresses =
  (deps: CheckoutDeps) =>
  async (basketId: string | null, given: GivenAddresses, from: AddressesFrom, meta: CommandMeta) => {
    const { members, customers } = deps.apis;
    const { kind, id } = meta.actor;
    const ownEmail = kind === 'member' && id !== null ? await members.emailOf(id) : null;
    const theirs =
      ownEmail === null
        ? given
        : { ...(await withDefaults(deps, id ?? '', given)), email: ownEmail, password: null };
    const { member, ...entered } = await enter(deps, basketId, theirs, from, meta);
    const isMember = ownEmail !== null || member !== null;
    const saved = await changing(deps, entered.basketId, async (found) => {
      // Before a customer is made known, whom a refusal would leave behind.
      if (found.isBeingPlaced) throw orderBeingPlaced();
      const addresses = check(deps, found, theirs, isMember);
      const { email, acceptsMarketing, billingAddress, shippingAddress } = addresses;
      const { basketId: ofBasket } = found;
      const person = { email, acceptsMarketing, ...splitName(billingAddress.name), basketId: ofBasket };
      if (deps.commands.isHooked) await rehearse(deps, found, { customerId: '', ...addresses }, meta);
      const customerId = await customers.ensure(person, stepMeta(meta), deps.newCustomers(from.ip));
      const command = { type: 'ChangeAddresses', customerId, ...addresses } as const;
      const changed = await change(deps, found, command, meta);
      return { changed: await deps.taxes.estimate(changed, meta), shippingAddress, customerId };
    });
    const memberId = member?.memberId ?? (ownEmail === null ? null : id);
    if (memberId !== null) {
      const { changed, customerId } = saved;
      const link = { customerId, basketId: changed.basketId, isNew: member?.isNew ?? false };
      await members.link(memberId, link, from.storeUrl, stepMeta(meta));
    }
    return { ...saved, signedIn: member && signedInAs(member), earlierWarnings: entered.warnings };
  };
