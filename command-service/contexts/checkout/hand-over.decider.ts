import { basketEvents } from '#events/basket.events.ts';
import { isSameJson } from '#kernel/same-json.ts';
import type { BasketStreamEvent, EditableBasket } from '../basket/basket.state.ts';
import type { ChangeAddresses, HandOver } from './checkout.commands.ts';

const { BasketHandedOver } = basketEvents.create;

type ChangeIt = (before: EditableBasket, command: ChangeAddresses) => readonly BasketStreamEvent[];

/** What the agent knows of the buyer, as if the shopper had given it; null where there is no e-mail address. */
const addressesOf = ({ basket }: EditableBasket): ChangeAddresses | null => {
  const { email, billingAddress, shippingAddress, emailCustomerId: customerId } = basket;
  if (email === null || billingAddress === null || shippingAddress === null) return null;
  const { shippingSameAsBilling, acceptsMarketing } = basket;
  return {
    type: 'ChangeAddresses',
    ...{ customerId, email, billingAddress, shippingAddress, shippingSameAsBilling, acceptsMarketing },
  };
};

/**
 * Once for each session: the shopper may come by the link again. From here on it is a checkout that they can leave
 * behind, with the address that the agent gave (docs/rules/agent-hand-over.md).
 */
export const handOver = (
  found: EditableBasket,
  { type: _, ...from }: HandOver,
  changeAddresses: ChangeIt,
): readonly BasketStreamEvent[] => {
  const handedOver = isSameJson(found.handOver, from) ? [] : [BasketHandedOver(from)];
  const addresses = found.opened === null ? addressesOf(found) : null;
  if (addresses === null) return handedOver;
  const unknown = { ...found, basket: { ...found.basket, email: null, captured: null } };
  return [...handedOver, ...changeAddresses(unknown, addresses)];
};
