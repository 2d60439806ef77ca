import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { BasketView } from '#events/basket-view.ts';
import { isSameJson } from '#kernel/same-json.ts';
import { currentLocation, type Location } from '#reference/location.ts';
import type { Address } from '#values/address.ts';
import { basketLinesStream } from '../../basket/basket.stream.ts';
import type { AgentBuyer } from '../../checkout/checkout.commands.ts';
import type { AskedFor, SessionChanges } from './agent-session.commands.ts';
import type { AgentSession } from './agent-session.state.ts';
import { addressOf, countryOf, hintedPlace, selectedDestination } from './session-place.ts';

type Deps = Pick<CommandDeps, 'streams' | 'reference' | 'settings' | 'apis'>;

/** Who buys, and where the goods go. */
type Sending = Pick<AgentSession, 'buyer' | 'context' | 'destinations' | 'fulfilment'>;

type Buying = Sending & Pick<AgentSession, 'basketId' | 'memberId'>;

export type ExpectingDeps = Pick<Deps, 'settings' | 'reference'>;

/** Where goods are taken to go while no place is selected. */
export const expectedPlace = (
  { settings, reference }: ExpectingDeps,
  session: Pick<AgentSession, 'context'>,
): Location => currentLocation(hintedPlace(session), settings(), reference.shipping);

/** Null: neither the agent nor the basket names an address. */
export const shippingAddressFor = (
  deps: ExpectingDeps,
  session: Sending,
  basket: BasketView,
): Address | null => {
  const place = selectedDestination(session);
  if (place !== null && countryOf(place) !== null) return addressOf(place, session.buyer);
  if (basket.shippingAddress === null) return null;
  const { countryCode, regionCode } = expectedPlace(deps, session);
  return addressOf({ countryCode, region: regionCode ?? '' }, session.buyer);
};

/**
 * Under which the customer of an e-mail address is known, or will be; null: none is named. Asked before the address is
 * in the log: it must not stand under a key that forgetting its customer leaves alone. Also of an address that is named
 * again: another update may have named a different one meanwhile. What is said of a member is under their own key.
 */
export const customerNamed = async (
  { apis }: Pick<Deps, 'apis'>,
  named: AgentSession['buyer'] | undefined,
  meta: CommandMeta,
  member: AskedFor | null = null,
): Promise<string | null> => {
  const email = named?.email;
  if (email !== undefined && member?.customerId) return member.customerId;
  return email === undefined ? null : apis.customers.idFor(email, stepMeta(meta));
};

type Person = Pick<AgentBuyer, 'email' | 'firstName' | 'lastName'>;

/** A member buys under the e-mail address of their account, not the agent's (docs/rules/members.md#accounts). */
const personOf = async (
  { apis }: Pick<Deps, 'apis'>,
  { buyer, memberId }: Pick<AgentSession, 'buyer' | 'memberId'>,
): Promise<Person> => ({
  email: memberId === null ? (buyer?.email ?? null) : await apis.members.emailOf(memberId),
  firstName: buyer?.firstName ?? null,
  lastName: buyer?.lastName ?? null,
});

/** What an agent has just said of a basket that was handed over; null: it was not. */
type SaidToShopper = 'everything' | readonly (keyof SessionChanges)[] | null;

const says = (said: SaidToShopper, ...parts: readonly (keyof SessionChanges)[]): boolean =>
  said === null || said === 'everything' || parts.some((part) => said.includes(part));

/** A shopper's own e-mail address counts for more than the one that the agent gave before they came. */
const buyerIn = async (
  deps: Pick<Deps, 'apis'>,
  session: Pick<AgentSession, 'buyer' | 'memberId'>,
  { email }: Pick<BasketView, 'email'>,
  isShoppers: boolean,
): Promise<Person> => {
  const person = await personOf(deps, session);
  return !isShoppers || email === null || email === person.email
    ? person
    : { email, firstName: null, lastName: null };
};

/** Where a shopper has the bill sent, if not to where the goods go. */
const ownBilling = (
  { billingAddress, shippingSameAsBilling }: Pick<BasketView, 'billingAddress' | 'shippingSameAsBilling'>,
  isShoppers: boolean,
): Address | null => (isShoppers && !shippingSameAsBilling ? billingAddress : null);

/** Whom and where the basket is to name; of a shopper's what its agent has not just said stays. */
const wantedBuyer = async (
  deps: Deps,
  session: Buying,
  basket: BasketView,
  said: SaidToShopper,
): Promise<Omit<AgentBuyer, 'acceptsMarketing'> | null> => {
  const namesPlace = selectedDestination(session) !== null && says(said, 'destinations', 'fulfilment');
  const isKept = said !== null && !namesPlace && basket.shippingAddress !== null;
  const shippingAddress = isKept ? basket.shippingAddress : shippingAddressFor(deps, session, basket);
  if (shippingAddress === null) return null;
  const namesEmail = session.buyer?.email !== undefined && says(said, 'buyer');
  return {
    ...(await buyerIn(deps, session, basket, said !== null && !namesEmail)),
    shippingAddress,
    billingAddress: ownBilling(basket, said !== null) ?? shippingAddress,
  };
};

const goThere = async (
  { streams }: Deps,
  { basketId }: Pick<AgentSession, 'basketId'>,
  { destination: now }: BasketView,
  { countryCode, regionCode, postalCode }: Location,
  meta: CommandMeta,
): Promise<boolean> => {
  if (now.countryCode === countryCode && now.regionCode === regionCode) return false;
  const destination = { countryCode, regionCode, postalCode };
  await streams.send(basketLinesStream, basketId, { type: 'RepriceBasket', destination }, stepMeta(meta));
  return true;
};

/**
 * Tells the basket who buys and where the goods go; true where that was new to it. Before a place is selected it only
 * goes where the buyer seems to be: an address in it would stand in the way of a shopper who goes on with it. `said`:
 * null, unless it was handed over.
 */
export const settleBuyer = async (
  deps: Deps,
  session: Buying,
  basket: BasketView,
  meta: CommandMeta,
  ip: string | null,
  said: SaidToShopper = null,
): Promise<boolean> => {
  const wanted = await wantedBuyer(deps, session, basket, said);
  if (wanted === null) return goThere(deps, session, basket, expectedPlace(deps, session), meta);
  const { email, shippingAddress } = wanted;
  if (basket.email === email && isSameJson(basket.shippingAddress, shippingAddress)) return false;
  const { acceptsMarketing } = basket;
  await deps.apis.checkout.nameBuyer(session.basketId, { ...wanted, acceptsMarketing }, ip, stepMeta(meta));
  return true;
};

/** Consent counts for the member who is linked, and for a customer whom this sale makes. */
const mayConsent = async (
  { apis }: Deps,
  { memberId, basketId }: AgentSession,
  { emailCustomerId }: BasketView,
): Promise<boolean> =>
  memberId !== null ||
  (emailCustomerId !== null && (await apis.customers.isMadeBy(emailCustomerId, basketId)));

/**
 * Tells the basket who pays, once a completion has begun, and whether the buyer agrees to marketing: the bill goes to
 * this address, else to the shopper's own or where the goods go. `ip`: where the agent asks from. Errors: those of
 * `nameBuyer`.
 */
export const billTo = async (
  deps: Deps,
  session: AgentSession,
  { billingAddress: billing, ip }: { readonly billingAddress: Address | null; readonly ip: string },
  meta: CommandMeta,
): Promise<void> => {
  const { state } = await deps.streams.load(basketLinesStream, session.basketId);
  const { basket } = state;
  if (basket === null) return;
  const isShoppers = state.handOver !== null;
  const { countryCode, regionCode } = expectedPlace(deps, session);
  const nowhere = addressOf({ countryCode, region: regionCode ?? '' }, session.buyer);
  const shippingAddress = basket.shippingAddress ?? billing ?? nowhere;
  const billingAddress = billing ?? ownBilling(basket, isShoppers) ?? shippingAddress;
  const agrees = session.consent?.marketing === true && (await mayConsent(deps, session, basket));
  const acceptsMarketing = basket.acceptsMarketing || agrees;
  const person = await buyerIn(deps, session, basket, isShoppers);
  const wanted = { email: person.email, shippingAddress, billingAddress, acceptsMarketing };
  const { email, shippingAddress: to, billingAddress: by, acceptsMarketing: accepts } = basket;
  const known = { email, shippingAddress: to, billingAddress: by, acceptsMarketing: accepts };
  if (isSameJson(known, wanted)) return;
  const from = session.isVerified ? null : ip;
  await deps.apis.checkout.nameBuyer(session.basketId, { ...person, ...wanted }, from, stepMeta(meta));
};
