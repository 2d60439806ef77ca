import { basketContext } from '#command/contexts/basket/basket.context.ts';
import { basketDecider } from '#command/contexts/basket/basket.decider.ts';
import type { BasketCommand } from '#command/contexts/basket/basket.commands.ts';
import { holdsOf, type BasketState, type BasketStreamEvent } from '#command/contexts/basket/basket.state.ts';
import type {
  BasketEndCommand,
  ChangeAddresses,
  CheckoutCommand,
  StartPlacement,
} from '#command/contexts/checkout/checkout.commands.ts';
import { basketEndDecider } from '#command/contexts/checkout/placement/placement-end.decider.ts';
import { checkoutContext } from '#command/contexts/checkout/checkout.context.ts';
import { checkoutDecider } from '#command/contexts/checkout/checkout.decider.ts';
import type { PriceSources } from '#command/pricing/basket-prices.ts';
import { initialChoices, planShipping } from '#command/pricing/shipping-plan.ts';
import type { Decider } from '#kernel/decider.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import { inContext, type Given } from '../given.ts';
import { idNamed, noon, viewOf } from './basket.ts';
import { addressOf } from './invoice.ts';

export const addresses: ChangeAddresses = {
  type: 'ChangeAddresses',
  customerId: idNamed('ada'),
  email: 'ada@example.com',
  billingAddress: addressOf('Ada Lovelace'),
  shippingAddress: addressOf('Ada Lovelace'),
  shippingSameAsBilling: true,
  acceptsMarketing: false,
};

export const pay = (name = 'placement', hasAcceptedTerms = false): StartPlacement => ({
  type: 'StartPlacement',
  placementId: idNamed(name),
  invoiceId: idNamed(`invoice of ${name}`),
  basketId: idNamed('basket'),
  invoiceNumbersRevision: 6,
  hasAcceptedTerms,
  wantedCurrency: undefined,
  shown: null,
  openInvoices: null,
  largeHolds: null,
});

/** Nothing stands unpaid at any address. */
export const nothingOpen = {
  countOpenInvoices: (): number => 0,
  heldAtAddress: () => ({ units: 0, unitsOf: () => 0, restsUntil: null, replacedEndsAt: null }),
};

/** The rules of basket and checkout in a shop: both decide on one stream. */
export const checkoutIn = (shop: PriceSources, changes: Partial<StoreSettings> = {}) => {
  const settings = () => ({ ...shop.settings(), ...changes });
  const sources = { ...shop, settings, apis: { orders: nothingOpen } };
  const basket = inContext(basketDecider, (state, command) => basketContext(sources)(command)(state));
  const checkout = inContext(checkoutDecider, (state, command) => checkoutContext(sources)(command)(state));
  const decide: Rules['decide'] = (state, command) =>
    isOfBasket(command)
      ? basket.decide(state, command)
      : isEnd(command)
        ? basketEndDecider.decide(state, command)
        : checkout.decide(state, command);
  return { ...checkout, decide };
};
export type BasketStreamCommand = BasketCommand | CheckoutCommand | BasketEndCommand;
type Rules = Decider<BasketState, BasketStreamCommand, BasketStreamEvent>;
export type CheckoutBasket = Given<BasketState, BasketStreamCommand, BasketStreamEvent, void>;

const isEnd = (command: CheckoutCommand | BasketEndCommand): command is BasketEndCommand =>
  ['ResumePlacement', 'CompletePlacement', 'ExpireOrder', 'CompleteBasket'].includes(command.type);

const basketCommands = [
  'AddBasketLine',
  'ChangeBasketLineQuantity',
  'RemoveBasketLine',
  'TakeOffDiscount',
  'IdentifyBuyer',
  'ClearBasket',
];
const isOfBasket = (command: BasketStreamCommand): command is BasketCommand =>
  basketCommands.includes(command.type);

/** The choice that the shop would make; `seen`: for the basket as it was a moment ago. */
export const choice = (
  shop: PriceSources,
  basket: CheckoutBasket,
  seen = viewOf(basket),
): CheckoutCommand => {
  const plan = planShipping(shop, seen, { holds: holdsOf(basket.state()) });
  const { choices } = initialChoices(plan, {}, true, new Date(noon).toISOString());
  return { type: 'SelectShipping', destination: null, choices, quotedOn: seen };
};
