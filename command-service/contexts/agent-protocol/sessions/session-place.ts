import type { AgentDestination } from '#events/agent-session.events.ts';
import { emptyAddress, type Address } from '#values/address.ts';
import { countryName, findRegion, isCountry } from '#values/region.ts';
import type { AgentSession } from './agent-session.state.ts';

type Buyer = AgentSession['buyer'];

/** Where the agent wants the goods sent; null: it has selected no place, or one that is not there. */
export const selectedDestination = ({
  destinations,
  fulfilment,
}: Pick<AgentSession, 'destinations' | 'fulfilment'>): AgentDestination | null =>
  destinations.find(({ id }) => id === fulfilment?.destinationId) ?? null;

/** The country of a place; null: none is said, or there is none of that code. */
export const countryOf = ({ countryCode = '' }: Pick<AgentDestination, 'countryCode'>): string | null =>
  isCountry(countryCode) ? countryCode.toUpperCase() : null;

const nameOf = (person: Pick<AgentDestination, 'firstName' | 'lastName'> | null): string =>
  [person?.firstName, person?.lastName].filter(Boolean).join(' ');

/**
 * The address that is in what an agent says of a place: its region's code where the catalogue knows one. What is
 * missing stays empty; whoever it names none for is the buyer.
 */
export const addressOf = (place: Omit<AgentDestination, 'id'>, buyer: Buyer): Address => {
  const { region = '', addressTwo = null, phone } = place;
  const countryCode = countryOf(place) ?? '';
  const known = region === '' ? null : findRegion(countryCode, region);
  return {
    ...emptyAddress,
    name: nameOf(place) || nameOf(buyer),
    addressOne: place.addressOne ?? '',
    addressTwo,
    townCity: place.townCity ?? '',
    countyState: known?.name ?? (region || null),
    regionCode: known?.regionCode ?? null,
    postalCode: place.postalCode ?? '',
    countryCode,
    country: countryCode === '' ? '' : countryName(countryCode),
    email: buyer?.email ?? null,
    phone: phone ?? buyer?.phone ?? null,
  };
};

/** Where the buyer seems to be, as far as the agent has hinted at it. */
export const hintedPlace = ({ context }: Pick<AgentSession, 'context'>) => {
  const text = (name: string): string | null => {
    const value = context?.[name];
    return typeof value === 'string' ? value : null;
  };
  return { countryCode: text('address_country'), regionCode: text('address_region') };
};
