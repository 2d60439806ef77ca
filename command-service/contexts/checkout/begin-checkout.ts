import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import { memberIdOf } from '#kernel/event.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { Address } from '#values/address.ts';
import { changeAddresses, type AddressesFrom } from './change-addresses.ts';
import type { Beginning } from './checkout-shipping.actions.ts';
import { findBasket, type CheckoutDeps } from './found-basket.ts';

const isText = (text: string | null | undefined): text is string => Boolean(text?.trim());

/** Whether an address is where the shopper says that checkout begins; they need not say it. */
const isAt = ({ countryCode, regionCode, countyState }: Address, asked: Beginning): boolean => {
  const isNamed = (text: string | null, wanted: string | null | undefined): boolean =>
    !isText(wanted) || text?.toLowerCase() === wanted.trim().toLowerCase();
  return (
    isNamed(countryCode, asked.countryCode) &&
    (isNamed(regionCode, asked.stateCode) || isNamed(countyState, asked.stateCode))
  );
};

/**
 * A checkout that begins without an address takes the member's default ones, where these are in the country that was
 * asked for. Returns with which country to begin. What the shop cannot use it leaves to the shopper.
 */
export const takeDefaultAddresses =
  (deps: CheckoutDeps) =>
  async (
    basketId: string | null,
    asked: Beginning,
    from: AddressesFrom,
    meta: CommandMeta,
  ): Promise<Beginning> => {
    const memberId = memberIdOf(meta.actor);
    if (memberId === null || basketId === null) return asked;
    const { billing, shipping } = await deps.apis.members.defaultAddresses(memberId);
    const goesTo = shipping ?? billing;
    if (goesTo === null || !isAt(goesTo, asked)) return asked;
    const { basket } = await findBasket(deps, basketId);
    if (basket.billingAddress !== null) return asked;
    try {
      await changeAddresses(deps)(basketId, {}, from, stepMeta(meta));
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
    }
    return { ...asked, countryCode: goesTo.countryCode };
  };
