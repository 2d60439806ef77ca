import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { AgentDestination } from '#events/agent-session.events.ts';
import type { CustomerAddress } from '#events/customer.events.ts';
import { defined } from '#kernel/defined.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { Address } from '#values/address.ts';
import type { AgentSession } from './agent-session.state.ts';
import { placeKey } from './session-destinations.ts';
import { addressOf } from './session-place.ts';

type Deps = Pick<CommandDeps, 'apis'>;

/** Whose addresses agents are offered: those of linked members, of everybody by e-mail address, or nobody's. */
type Injection = 'linked' | 'all' | 'off';

interface Buyer {
  readonly memberId: string | null;
  readonly email: string | null;
}

/** What agents are offered of the addresses that the shop knows, and what it keeps of theirs. */
export interface StoredAddresses {
  of(buyer: Buyer): Promise<readonly AgentDestination[]>;
  /** Keeps the new and complete places of a session whose buyer is known, or may be: with its customer. */
  keep(session: AgentSession, meta: CommandMeta): Promise<void>;
}

const splitAtLastBlank = (name: string): Pick<AgentDestination, 'firstName' | 'lastName'> => {
  const blank = name.lastIndexOf(' ');
  const [first, last] = blank < 0 ? [name, ''] : [name.slice(0, blank), name.slice(blank + 1)];
  return defined({ firstName: first || undefined, lastName: last || undefined });
};

/** Under the key by which agents know it, else under an id that stays while the address does. */
export const storedDestination = (
  customerId: string,
  { externalKey, ...address }: CustomerAddress,
): AgentDestination => {
  const { name, addressOne, addressTwo, townCity, regionCode, countyState, postalCode, countryCode } =
    address;
  return {
    id: externalKey ?? derivedId('address of customer', customerId, JSON.stringify(address)),
    ...splitAtLastBlank(name),
    ...defined({
      addressOne: addressOne || undefined,
      addressTwo: addressTwo || undefined,
      townCity: townCity || undefined,
      region: regionCode ?? countyState ?? undefined,
      postalCode: postalCode || undefined,
      countryCode: countryCode || undefined,
      phone: address.phone ?? undefined,
    }),
  };
};

const isKey = (id: string): boolean => /^[A-Za-z0-9._:-]{1,100}$/.test(id);

/** The address in a place, if it is all that the shop asks of one. */
const completeAddress = (
  { apis }: Deps,
  place: AgentDestination,
  buyer: AgentSession['buyer'],
): Address | null => {
  try {
    return apis.checkout.checkedAddress(addressOf(place, buyer));
  } catch (error) {
    if (error instanceof Rejection) return null;
    throw error;
  }
};

/** The new ones, each under its id where that is free and can be a key. */
const newAddresses = (
  deps: Deps,
  { destinations, buyer, basketId }: AgentSession,
  customerId: string,
  known: readonly CustomerAddress[],
): CustomerAddress[] => {
  const places = new Set(known.map((address) => placeKey(storedDestination(customerId, address))));
  const keys = new Set(known.map(({ externalKey }) => externalKey));
  return destinations.flatMap((place) => {
    const address = places.has(placeKey(place)) ? null : completeAddress(deps, place, buyer);
    if (address === null) return [];
    places.add(placeKey(place));
    const isFree = isKey(place.id) && !keys.has(place.id);
    const externalKey = isFree ? place.id : derivedId('kept address', basketId, place.id);
    return [{ ...address, externalKey }];
  });
};

export const createStoredAddresses = (deps: Deps, injection: Injection): StoredAddresses => {
  const customerOf = async ({ memberId, email }: Buyer): Promise<string | null> => {
    if (injection === 'off') return null;
    if (memberId !== null) return deps.apis.members.customerOf(memberId);
    return injection === 'all' && email !== null ? deps.apis.customers.withEmail(email) : null;
  };
  const guest = async ({ buyer, basketId }: AgentSession, meta: CommandMeta): Promise<string | null> => {
    const { email, firstName = null, lastName = null } = buyer ?? {};
    if (injection !== 'all' || email === undefined) return null;
    const person = { email, firstName, lastName, acceptsMarketing: false, basketId };
    return deps.apis.customers.ensure(person, stepMeta(meta));
  };
  return {
    of: async (buyer) => {
      const customerId = await customerOf(buyer);
      if (customerId === null) return [];
      const addresses = await deps.apis.customers.addressesOf(customerId);
      return addresses.map((address) => storedDestination(customerId, address));
    },
    keep: async (session, meta) => {
      const { memberId, buyer, destinations } = session;
      const hasComplete = destinations.some((place) => completeAddress(deps, place, buyer) !== null);
      if (injection === 'off' || !hasComplete) return;
      const known = await customerOf({ memberId, email: buyer?.email ?? null });
      const customerId = known ?? (await guest(session, meta));
      if (customerId === null) return;
      const stored = await deps.apis.customers.addressesOf(customerId);
      const added = newAddresses(deps, session, customerId, stored);
      if (added.length > 0) await deps.apis.customers.keepAddresses(customerId, added, stepMeta(meta));
    },
  };
};
