import type { ProtocolMessage } from '#agents/protocol-parts.ts';
import type { FulfilmentMethod } from '#agents/protocol-session.ts';
import type { AgentSession } from './agent-session.state.ts';
import type { LineFigures } from './session-figures.ts';
import { shownGroups, type Shown } from './session-fulfilment.ts';
import { shippingIsForBuyer, shippingMessages } from './session-messages.ts';
import { SHIPPING } from './session-destinations.ts';
import { selectedDestination } from './session-place.ts';
import type { SettledShipping } from './session-shipping.ts';

/** How an answer says that goods are sent. */
export interface ShownFulfilment {
  /** Null: the member is left out. */
  readonly fulfilment: { readonly methods: readonly FulfilmentMethod[] } | null;
  readonly messages: readonly ProtocolMessage[];
  /** Nothing has to be chosen, or everything is. */
  readonly isComplete: boolean;
}

const nothingSent: ShownFulfilment = { fulfilment: null, messages: [], isComplete: true };

type ShownLine = Pick<LineFigures, 'line' | 'of'>;

const sentLines = (figures: readonly ShownLine[]): readonly string[] =>
  figures.flatMap(({ line, of }) => (of.isDigital ? [] : [line.lineId]));

/** Of a shop whose agents choose neither place nor option: its shoppers do, in the storefront. */
export const fulfilmentOfShopper = (
  shipping: Pick<SettledShipping, 'isComplete'> | null,
  figures: readonly ShownLine[],
): ShownFulfilment =>
  sentLines(figures).length === 0 || shipping?.isComplete
    ? nothingSent
    : { fulfilment: null, messages: [shippingIsForBuyer], isComplete: false };

/**
 * One method for everything that is sent; digital goods are in none (docs/rules/agent-sessions.md#shipping).
 * `figures`: the lines of the session that are in the basket.
 */
export const shownFulfilment = (
  session: AgentSession,
  shipping: SettledShipping | null,
  figures: readonly ShownLine[],
  shown: Shown,
): ShownFulfilment => {
  const lineIds = sentLines(figures);
  if (lineIds.length === 0) return nothingSent;
  const { destinations, fulfilment } = session;
  const messages = shippingMessages(session, shipping);
  const isComplete = shipping?.isComplete ?? false;
  const isShown = fulfilment !== null || destinations.length > 0 || shipping !== null;
  if (!isShown) return { fulfilment: null, messages, isComplete };
  const method: FulfilmentMethod = {
    id: fulfilment?.methodId ?? SHIPPING,
    type: 'shipping',
    lineIds,
    destinations: destinations.length === 0 ? null : destinations,
    selectedDestinationId: selectedDestination(session)?.id ?? null,
    groups: shipping && shownGroups(shipping.groups, shown),
  };
  return { fulfilment: { methods: [method] }, messages, isComplete };
};
