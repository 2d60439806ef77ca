import type { CommandMeta, Executed } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { asKnown } from '#command/engine/streams.ts';
import type { ShippingPlan } from '#command/pricing/shipping-plan.ts';
import { asOfNow, hasTimedOutShipping } from '#events/basket-session.ts';
import type { BasketView } from '#events/basket-view.ts';
import type { AddressLimit } from '#kernel/admission.ts';
import {
  usedDiscountIdsOf,
  emptyBasket,
  holdsOf,
  reachableBasket,
  type BasketState,
  type BasketStreamEvent,
} from '../basket/basket.state.ts';
import type { CheckoutCommand } from './checkout.commands.ts';
import { checkoutStream } from './checkout.stream.ts';
import { withoutUsedUp } from './codes/used-up-discounts.ts';
import type { TaxAuthority } from './tax-authority.ts';

/** What checkout works with. */
export interface CheckoutDeps extends CommandDeps {
  readonly taxes: TaxAuthority;
  readonly newCustomers: AddressLimit;
}

/** The basket of a shopper who is checking out, with something in it. */
export interface FoundBasket {
  readonly basketId: string;
  readonly basket: BasketView;
  readonly holds: ShippingPlan['holds'];
  readonly usedDiscountIds: readonly string[];
  readonly isBeingPlaced: boolean;
  /** What was chosen for shipping has fallen away, and nothing was chosen since. */
  readonly hasLostShipping: boolean;
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

type Now = Pick<CommandDeps, 'settings' | 'clock'>;

/** Errors: Rejection `basket-not-found`. */
const foundIn = ({ settings, clock }: Now, basketId: string, state: BasketState): FoundBasket => {
  const basket = reachableBasket(state);
  if (basket === null || basket.lines.length === 0) throw emptyBasket();
  return {
    basketId,
    basket: asOfNow(basket, settings(), clock.now()),
    holds: holdsOf(state),
    usedDiscountIds: usedDiscountIdsOf(state),
    isBeingPlaced: state.status === 'placing',
    hasLostShipping: state.hasLostShipping || hasTimedOutShipping(basket, settings(), clock.now()),
  };
};

/** The basket as it is. Errors: Rejection `basket-not-found`. */
export const findBasket = async (deps: CommandDeps, basketId: string | null): Promise<FoundBasket> => {
  if (basketId === null) throw emptyBasket();
  return foundIn(deps, basketId, (await deps.streams.load(checkoutStream, basketId)).state);
};

/**
 * A change of the basket as this process knows it (`asKnown`); `changed` null: none was made. Errors: Rejection
 * `basket-not-found`.
 */
export const changing = <Result extends { readonly changed: ChangedCheckout | null }>(
  deps: CommandDeps,
  basketId: string | null,
  work: (found: FoundBasket) => Promise<Result>,
): Promise<Result> => {
  if (basketId === null) throw emptyBasket();
  return asKnown(
    deps.streams,
    checkoutStream,
    basketId,
    async ({ state }) => work(foundIn(deps, basketId, state)),
    ({ changed }) => changed !== null,
  );
};

/** Sends a command to a basket that has been looked at; what its customer has used up falls off it. */
export const change = async (
  { streams, reference }: CommandDeps,
  { basketId, basket: before }: FoundBasket,
  command: CheckoutCommand,
  meta: CommandMeta,
): Promise<ChangedCheckout> => {
  const how = { referenceMatters: 'to a refusal' } as const;
  const sent = await streams.send(checkoutStream, basketId, command, meta, how);
  const { state, events, position } = await withoutUsedUp({ streams, reference }, basketId, sent, meta);
  return { basketId, before, basket: state.basket ?? before, events, position };
};
