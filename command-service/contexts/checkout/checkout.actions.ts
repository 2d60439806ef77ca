import type { CommandMeta, Executed } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { asKnown } from '#command/engine/streams.ts';
import { unknownCode } from '#command/pricing/apply-discounts.ts';
import {
  initialChoices,
  planShipping,
  selectOptions,
  type ShippingPlan,
} from '#command/pricing/shipping-plan.ts';
import type { BasketView } from '#events/basket-view.ts';
import { isoInstant } from '#kernel/clock.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isShippingCountry } from '#reference/location.ts';
import { splitName, type Destination } from '#values/address.ts';
import { findRegion, isCountry } from '#values/region.ts';
import {
  emptyBasket,
  holdsOf,
  orderBeingPlaced,
  reachableBasket,
  type BasketState,
  type BasketStreamEvent,
} from '../basket/basket.state.ts';
import { checkAddresses, type GivenAddresses } from './check-address.ts';
import type { CheckoutCommand } from './checkout.commands.ts';
import { checkoutStream } from './checkout.stream.ts';

/** The basket of somebody who is checking out, with something in it. */
export interface FoundBasket {
  readonly basketId: string;
  readonly basket: BasketView;
  readonly holds: ShippingPlan['holds'];
  readonly isBeingPlaced: boolean;
}

/** A basket before and after a change of checkout. */
export interface ChangedCheckout extends Pick<
  Executed<BasketState, BasketStreamEvent>,
  'events' | 'position'
> {
  readonly basketId: string;
  readonly before: BasketView;
  readonly basket: BasketView;
}

/** How a basket ships, or why it does not: then nothing has been changed. */
export interface Shipping {
  readonly found: FoundBasket;
  readonly plan: ShippingPlan;
  /** Where it was to go. */
  readonly destination: Destination;
}

/** Where checkout begins: a country, a region of it, and what was chosen before. */
export interface Beginning {
  readonly countryCode?: string | null | undefined;
  readonly stateCode?: string | null | undefined;
  readonly previousShippingSelections?: Readonly<Record<string, string>> | null | undefined;
  readonly autoSelectShipping?: boolean | null | undefined;
}

/** The chosen option of each shipping group, and the dates for those that can be had on one. */
export interface ShippingSelection {
  readonly selections?: Readonly<Record<string, string>> | null | undefined;
  readonly deliveryDates?: Readonly<Record<string, string>> | null | undefined;
}

const destinationFrom = ({ countryCode, stateCode }: Beginning, current: Destination): Destination => {
  const country = countryCode?.trim().toUpperCase() ?? '';
  if (!isCountry(country)) {
    throw new Rejection(
      'invalid-request',
      'countryCode: an ISO 3166-1 country code of two letters was expected.',
    );
  }
  const regionCode = findRegion(country, stateCode?.trim() ?? '')?.regionCode ?? null;
  const stays = country === current.countryCode && (regionCode === null || regionCode === current.regionCode);
  return stays ? current : { countryCode: country, regionCode, postalCode: null };
};

/** Errors: Rejection `basket-not-found`. */
const foundIn = (basketId: string, state: BasketState): FoundBasket => {
  const basket = reachableBasket(state);
  if (basket === null || basket.lines.length === 0) throw emptyBasket();
  return { basketId, basket, holds: holdsOf(state), isBeingPlaced: state.status === 'placing' };
};

/** The basket as it is. Errors: Rejection `basket-not-found`. */
const findBasket = async ({ streams }: CommandDeps, basketId: string | null): Promise<FoundBasket> => {
  if (basketId === null) throw emptyBasket();
  return foundIn(basketId, (await streams.load(checkoutStream, basketId)).state);
};

/**
 * A change of the basket as this process knows it (`asKnown`); `changed` null: none was made. Errors: Rejection
 * `basket-not-found`.
 */
const changing = <Result extends { readonly changed: ChangedCheckout | null }>(
  { streams }: CommandDeps,
  basketId: string | null,
  work: (found: FoundBasket) => Promise<Result>,
): Promise<Result> => {
  if (basketId === null) throw emptyBasket();
  return asKnown(
    streams,
    checkoutStream,
    basketId,
    async ({ state }) => work(foundIn(basketId, state)),
    ({ changed }) => changed !== null,
  );
};

const change = async (
  { streams }: CommandDeps,
  { basketId, basket: before }: FoundBasket,
  command: CheckoutCommand,
  meta: CommandMeta,
): Promise<ChangedCheckout> => {
  const { state, events, position } = await streams.send(checkoutStream, basketId, command, meta);
  return { basketId, before, basket: state.basket ?? before, events, position };
};

/** Errors: Rejection `invalid-address` with a problem for each field. */
const changeAddresses =
  (deps: CommandDeps) => async (basketId: string | null, given: GivenAddresses, meta: CommandMeta) => {
    const found = await findBasket(deps, basketId);
    // Before a customer is made known, whom a refusal would leave behind.
    if (found.isBeingPlaced) throw orderBeingPlaced();
    const checked = checkAddresses(given, {
      billingPhoneRequired: deps.settings().billingPhoneRequired,
      shipsTo: (countryCode) => isShippingCountry(deps.reference.shipping, countryCode),
    });
    if (checked.kind === 'invalid') {
      const { errors } = checked;
      throw new Rejection('invalid-address', 'Some fields need your attention.', { errors });
    }
    const { kind: _, ...addresses } = checked;
    const { email, acceptsMarketing, billingAddress, shippingAddress } = addresses;
    const person = { email, acceptsMarketing, ...splitName(billingAddress.name) };
    const customerId = await deps.neighbours.customers.ensure(person, stepMeta(meta));
    const changed = await change(deps, found, { type: 'ChangeAddresses', customerId, ...addresses }, meta);
    return { ...changed, shippingAddress };
  };

/** `countAttempt` is told whether there is such a code, and refuses who has guessed too often. */
const applyDiscountCode =
  (deps: CommandDeps) =>
  async (
    basketId: string | null,
    given: string | null | undefined,
    countAttempt: (basketId: string, isKnownCode: boolean) => Promise<void>,
    meta: CommandMeta,
  ) => {
    const found = await findBasket(deps, basketId);
    const code = given?.trim().toUpperCase() ?? '';
    if (code === '') throw new Rejection('invalid-request', 'code: a discount code was expected.');
    const discount = deps.reference.discounts.byCode(code);
    await countAttempt(found.basketId, discount !== undefined);
    if (!discount) {
      const { errorCode, message } = unknownCode(code);
      throw new Rejection('discount-not-applicable', message, { errorCode });
    }
    const { id: discountId, rule } = discount;
    const command = { type: 'ApplyDiscountCode', discountId, code, name: rule.name } as const;
    return { ...(await change(deps, found, command, meta)), code };
  };

/** How the basket ships as it is. */
const showShipping =
  (deps: CommandDeps) =>
  async (basketId: string | null): Promise<Shipping> => {
    const found = await findBasket(deps, basketId);
    const { destination } = found.basket;
    return { found, plan: planShipping(deps, found.basket, found), destination };
  };

/** Moves the basket to a country and chooses how it ships, if wanted. `changed` null: it cannot be shipped there. */
const initialize = (deps: CommandDeps) => (basketId: string | null, given: Beginning, meta: CommandMeta) =>
  changing(deps, basketId, async (found) => {
    const destination = destinationFrom(given, found.basket.destination);
    const plan = planShipping(deps, found.basket, found, destination);
    const shipping: Shipping = { found, plan, destination };
    if (plan.unavailable.length > 0) return { shipping, changed: null };
    const made = found.basket.choices;
    const kept = Object.fromEntries(made.map(({ groupId, optionKey }) => [groupId, optionKey]));
    const previous = { ...kept, ...given.previousShippingSelections };
    const now = isoInstant(deps.clock.now());
    const isAutomatic = given.autoSelectShipping ?? true;
    const { choices, restored } = initialChoices(plan, previous, isAutomatic, now, made);
    const quotedOn = { lines: found.basket.lines, destination };
    const command = { type: 'SelectShipping', destination, choices, quotedOn } as const;
    const changed = await change(deps, found, command, meta);
    return { shipping, changed, isAutoSelected: choices.length > 0 && restored === 0 };
  });

/** `changed` null: something in the basket cannot be shipped. */
const selectShipping =
  (deps: CommandDeps) => (basketId: string | null, given: ShippingSelection, meta: CommandMeta) =>
    changing(deps, basketId, async (found) => {
      const plan = planShipping(deps, found.basket, found);
      const shipping: Shipping = { found, plan, destination: found.basket.destination };
      if (plan.unavailable.length > 0) return { shipping, changed: null };
      const now = isoInstant(deps.clock.now());
      const { choices, errors } = selectOptions(plan, given.selections ?? {}, given.deliveryDates ?? {}, now);
      const [problem] = Object.values(errors);
      if (problem !== undefined) throw new Rejection('shipping-incomplete', problem, { errors });
      const command = { type: 'SelectShipping', destination: null, choices, quotedOn: found.basket } as const;
      return { shipping, changed: await change(deps, found, command, meta) };
    });

/** What can be done with a basket in checkout, up to its placement. A `basketId` of null is a shopper without one. */
export const createCheckoutActions = (deps: CommandDeps) => ({
  find: (basketId: string | null) => findBasket(deps, basketId),
  changeAddresses: changeAddresses(deps),
  applyDiscountCode: applyDiscountCode(deps),
  shipping: showShipping(deps),
  initialize: initialize(deps),
  selectShipping: selectShipping(deps),
});

export type CheckoutActions = ReturnType<typeof createCheckoutActions>;
