import type { CommandMeta, Executed } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { unknownCode } from '#command/pricing/discounts/discount-problem.ts';
import { Rejection } from '#kernel/rejection.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import { currencyFor, displayRate, hasRates } from '#reference/presentation.ts';
import type { BasketState, BasketStreamEvent } from '../basket/basket.state.ts';
import { basketLinesStream } from '../basket/basket.stream.ts';
import { captureActions } from './capture/capture.actions.ts';
import { addressProblems, changeAddresses, checkedAddress, nameBuyer } from './change-addresses.ts';
import { takeDefaultAddresses } from './begin-checkout.ts';
import { shippingActions } from './checkout-shipping.actions.ts';
import { change, type ChangedCheckout, type CheckoutDeps, findBasket } from './found-basket.ts';
import { restorableBasket } from './restorable-basket.ts';
import { isUsedUp, withoutUsedUp } from './codes/used-up-discounts.ts';

/**
 * The currency of the country that a checkout goes to, for a shopper who has never chosen one; null where it stays as
 * it is (docs/rules/currency.md#whose). The basket notes it. What stands in the way is no reason to refuse a checkout.
 */
const followCountry =
  (deps: CommandDeps) =>
  async (
    { basketId, basket }: Pick<ChangedCheckout, 'basketId' | 'basket'>,
    countryCode: string,
    wanted: string | undefined,
    meta: CommandMeta,
  ): Promise<string | null> => {
    if (wanted !== undefined || !hasRates(deps)) return null;
    const currency = currencyFor(deps, countryCode);
    if (displayRate(deps, currency) === null) return null;
    if (currency === basket.preferredCurrency) return currency;
    const command = { type: 'ChangeBasketCurrency', currency, destination: null } as const;
    try {
      await deps.streams.send(basketLinesStream, basketId, command, stepMeta(meta));
      return currency;
    } catch (error) {
      if (error instanceof Rejection) return null;
      throw error;
    }
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
    const unknown = (message: string) =>
      new Rejection('discount-not-applicable', message, { errorCode: 'NotFound' });
    if (code === '') throw unknown('code: must be a discount code.');
    const discount = deps.reference.discounts.byCode(code);
    await countAttempt(found.basketId, discount !== undefined);
    if (!discount) throw unknown(unknownCode(code).message);
    const { id: discountId, rule } = discount;
    const isUsedUpByCustomer = await isUsedUp(deps, found, discount);
    const command = {
      type: 'ApplyDiscountCode',
      discountId,
      code,
      name: rule.name,
      isUsedUpByCustomer,
    } as const;
    return { ...(await change(deps, found, command, meta)), code };
  };

/** Takes off the rule of this id, or that of this discount line. */
const takeOffDiscount =
  (deps: CommandDeps) => async (basketId: string | null, id: string, meta: CommandMeta) => {
    const found = await findBasket(deps, basketId);
    const command = { type: 'TakeOffDiscount', id } as const;
    const sent = await deps.streams.send(basketLinesStream, found.basketId, command, meta);
    const { state, events, position } = await withoutUsedUp(deps, found.basketId, sent, meta);
    const off = events.find((event) => event.type === 'DiscountTakenOff');
    const name = off?.type === 'DiscountTakenOff' ? (off.data.code ?? off.data.name) : '';
    const { basketId: ownId, basket: before } = found;
    return { basketId: ownId, before, basket: state.basket ?? before, events, position, name };
  };

/** What can be done with a basket in checkout, up to its placement. A `basketId` of null is a shopper without one. */
export const createCheckoutActions = (deps: CheckoutDeps) => ({
  find: (basketId: string | null) => findBasket(deps, basketId),
  changeAddresses: changeAddresses(deps),
  nameBuyer: nameBuyer(deps),
  addressProblems,
  checkedAddress,
  takeDefaultAddresses: takeDefaultAddresses(deps),
  applyDiscountCode: applyDiscountCode(deps),
  takeOffDiscount: takeOffDiscount(deps),
  followCountry: followCountry(deps),
  restorable: restorableBasket(deps),
  ...shippingActions(deps),
  ...captureActions(deps),
  withoutUsedUp: <Done extends Executed<BasketState, BasketStreamEvent>>(
    basketId: string,
    done: Done,
    meta: CommandMeta,
  ) => withoutUsedUp(deps, basketId, done, meta),
});

export type CheckoutActions = ReturnType<typeof createCheckoutActions>;
