import type { CommandDeps } from '#command/engine/service-deps.ts';
import { isSameJson } from '#kernel/same-json.ts';
import type { GivenAddresses } from './check-address.ts';

/** What a member sends, and where that is no address their default ones (docs/rules/account.md#addresses). */
export const withDefaults = async (
  { apis }: Pick<CommandDeps, 'apis'>,
  memberId: string,
  given: GivenAddresses,
): Promise<GivenAddresses> => {
  if (given.billingAddress) return given;
  const { billing, shipping } = await apis.members.defaultAddresses(memberId);
  const billingAddress = billing ?? shipping;
  if (billingAddress === null) return given;
  const shippingAddress = given.shippingAddress ?? shipping;
  const isSame = shippingAddress === null || isSameJson(shippingAddress, billingAddress);
  const shippingSameAsBilling = given.shippingSameAsBilling ?? isSame;
  return { ...given, billingAddress, shippingAddress, shippingSameAsBilling };
};
