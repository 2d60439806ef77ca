import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { unknownCode } from '#command/pricing/discounts/discount-problem.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isShippingCountry } from '#reference/location.ts';
import type { ReferenceDiscount } from '#reference/reference.ts';
import { splitName } from '#values/address.ts';
import { basketLinesStream } from '../basket/basket.stream.ts';
import { orderBeingPlaced } from '../basket/basket.state.ts';
import { customerUsageId } from '../discounts/discount-usage.commands.ts';
import { discountUsageStream } from '../discounts/discount-usage.stream.ts';
import { checkAddresses, type GivenAddresses } from './check-address.ts';
import { followCountry } from './follow-country.ts';
import { shippingActions } from './checkout-shipping.actions.ts';
import type { ChangeAddresses } from './checkout.commands.ts';
import { checkoutContext } from './checkout.context.ts';
import { checkoutStream } from './checkout.stream.ts';
import { change, changing, findBasket, type CheckoutDeps, type FoundBasket } from './found-basket.ts';

/** Asks the owner's hooks before a customer is made known, whom a refusal would leave behind. */
const rehearse = (
  { commands, ...sources }: CommandDeps,
  { basketId }: FoundBasket,
  addresses: Omit<ChangeAddresses, 'type'>,
  meta: CommandMeta,
): Promise<void> => {
  const command = { type: 'ChangeAddresses', ...addresses } as const;
  const context = checkoutContext(sources)(command);
  return commands.rehearse({ decider: checkoutStream.decider, id: basketId, command, context, meta });
};

/** Errors: Rejection `invalid-address` with a problem for each field. */
const changeAddresses =
  (deps: CheckoutDeps) => (basketId: string | null, given: GivenAddresses, meta: CommandMeta) =>
    changing(deps, basketId, async (found) => {
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
      if (deps.commands.isHooked) await rehearse(deps, found, { customerId: '', ...addresses }, meta);
      const customerId = await deps.neighbours.customers.ensure(person, stepMeta(meta));
      const command = { type: 'ChangeAddresses', customerId, ...addresses } as const;
      const changed = await change(deps, found, command, meta);
      return { changed: await deps.taxes.estimate(changed, meta), shippingAddress };
    });

/** Whether the customer of a basket, as far as one is known, has used a discount as often as one may. */
const isUsedUp = async (
  { streams }: CommandDeps,
  { basketId, basket }: FoundBasket,
  { id, rule: { perCustomerUsageLimit } }: ReferenceDiscount,
): Promise<boolean> => {
  const customerId = basket.emailCustomerId ?? basket.customerId;
  if (perCustomerUsageLimit === null || customerId === null) return false;
  const counter = customerUsageId(id, customerId);
  const { uses, open } = (await streams.recall(discountUsageStream, counter)).state;
  return uses - (open[basketId] ? 1 : 0) >= perCustomerUsageLimit;
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
    if (code === '') throw unknown('code: a discount code was expected.');
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
    const { state, events, position } = await deps.streams.send(
      basketLinesStream,
      found.basketId,
      { type: 'TakeOffDiscount', id },
      meta,
    );
    const off = events.find((event) => event.type === 'DiscountTakenOff');
    const name = off?.type === 'DiscountTakenOff' ? (off.data.code ?? off.data.name) : '';
    const { basketId: ownId, basket: before } = found;
    return { basketId: ownId, before, basket: state.basket ?? before, events, position, name };
  };

/** What can be done with a basket in checkout, up to its placement. A `basketId` of null is a shopper without one. */
export const createCheckoutActions = (deps: CheckoutDeps) => ({
  find: (basketId: string | null) => findBasket(deps, basketId),
  changeAddresses: changeAddresses(deps),
  applyDiscountCode: applyDiscountCode(deps),
  takeOffDiscount: takeOffDiscount(deps),
  followCountry: followCountry(deps),
  ...shippingActions(deps),
});

export type CheckoutActions = ReturnType<typeof createCheckoutActions>;
