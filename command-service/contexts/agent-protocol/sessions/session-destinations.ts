import type { DestinationInput, FulfilmentInput } from '#agents/protocol-inputs.ts';
import type { AgentDestination, AgentFulfilment } from '#events/agent-session.events.ts';
import { defined } from '#kernel/defined.ts';
import type { SessionChanges } from './agent-session.commands.ts';
import type { AgentSession } from './agent-session.state.ts';
import { ONE_GROUP } from './session-fulfilment.ts';
import { addressOf } from './session-place.ts';

/** The method of an agent that has named none. */
export const SHIPPING = 'shipping';

type Before = Pick<AgentSession, 'destinations' | 'fulfilment' | 'hasManyGroups'>;

/** What a request says of sending, and what the shop knows besides. */
export interface Sending {
  /** Undefined: nothing; null: everything is taken back. */
  readonly asked: FulfilmentInput | null | undefined;
  /** Addresses of the buyer that the shop offers to the agent. */
  readonly stored: readonly AgentDestination[];
  /** The request names the buyer. */
  readonly namesBuyer: boolean;
  readonly newId: (index: number) => string;
}

const folded = (text: string | null): string => text?.trim().toUpperCase() ?? '';

/** The same for spellings that differ only in case, and for every name. */
export const placeKey = (place: Omit<AgentDestination, 'id'>): string => {
  const { addressOne, townCity, regionCode, countyState, postalCode, countryCode } = addressOf(place, null);
  const parts = [addressOne, townCity, regionCode ?? countyState, postalCode, countryCode];
  return JSON.stringify(parts.map(folded));
};

/** An address that is only pointed at. */
const isBare = ({ id, further: _, ...said }: DestinationInput): boolean =>
  id !== undefined && Object.keys(said).length === 0;

/** By its own id; without one by that of the same place, where it has one already, else by a new one. */
const identified = (
  given: readonly DestinationInput[],
  known: readonly AgentDestination[],
  newId: Sending['newId'],
): AgentDestination[] => {
  const used = new Set<string>();
  return given.map((one, index) => {
    const named = known.find(({ id }) => id === one.id);
    const place = isBare(one) && named ? { ...named, ...defined({ further: one.further }) } : one;
    const same = (): string | undefined => known.find((other) => placeKey(other) === placeKey(place))?.id;
    const wanted = one.id ?? same() ?? newId(index);
    const id = used.has(wanted) ? newId(index) : wanted;
    used.add(id);
    return { ...place, id };
  });
};

/** Those that are stored, then what the session has besides. */
const offered = (
  stored: readonly AgentDestination[],
  before: readonly AgentDestination[],
): AgentDestination[] => {
  const ids = new Set(stored.map(({ id }) => id));
  const places = new Set(stored.map(placeKey));
  return [...stored, ...before.filter((one) => !ids.has(one.id) && !places.has(placeKey(one)))];
};

const choicesAfter = (
  { fulfilment, hasManyGroups }: Before,
  { groups }: FulfilmentInput,
): AgentFulfilment['options'] => {
  const before = fulfilment?.options ?? [];
  if (groups.length === 0) return before;
  const asked = new Map(groups.map(({ id = ONE_GROUP, selectedOptionId }) => [id, selectedOptionId]));
  const kept = hasManyGroups ? before.filter(({ groupId }) => !asked.has(groupId)) : [];
  const chosen = [...asked].flatMap(([groupId, optionId]) =>
    optionId === null ? [] : [{ groupId, optionId }],
  );
  return [...kept, ...chosen];
};

/** A place that is not named again stays selected while it is there; null takes it back. */
const selectedAfter = (
  { fulfilment }: Before,
  { selectedDestinationId: asked }: FulfilmentInput,
  destinations: readonly AgentDestination[],
): string | null => {
  if (asked !== undefined) return asked;
  const before = fulfilment?.destinationId ?? null;
  return destinations.some(({ id }) => id === before) ? before : null;
};

/**
 * What becomes of the places and choices of a session. It has exactly the places that a request names; where that names
 * none, those that are stored and those that it had (docs/rules/agent-sessions.md#places).
 */
export const changedSending = (
  before: Before,
  { asked, stored, namesBuyer, newId }: Sending,
): Pick<SessionChanges, 'destinations' | 'fulfilment'> => {
  if (asked === undefined) {
    const isOffered = namesBuyer && before.destinations.length === 0 && stored.length > 0;
    return isOffered ? { destinations: stored } : {};
  }
  if (asked === null) return { destinations: [], fulfilment: null };
  const destinations = asked.destinations
    ? identified(asked.destinations, [...stored, ...before.destinations], newId)
    : offered(stored, before.destinations);
  return {
    destinations,
    fulfilment: {
      methodId: asked.methodId ?? before.fulfilment?.methodId ?? SHIPPING,
      destinationId: selectedAfter(before, asked, destinations),
      options: choicesAfter(before, asked),
    },
  };
};
