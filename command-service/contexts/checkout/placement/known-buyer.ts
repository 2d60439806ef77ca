import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { Streams } from '#command/engine/streams.ts';
import type { ContextApis } from '#command/context-apis.ts';
import type { BasketView } from '#events/basket-view.ts';
import { splitName } from '#values/address.ts';
import { checkoutStream } from '../checkout.stream.ts';

interface KnownBuyerDeps {
  readonly apis: Pick<ContextApis, 'customers'>;
  readonly streams: Streams;
}

/** Addresses and their customer go into the log side by side: a kill may leave out the customer, an order may not. */
export const makeBuyerKnown = async (
  { apis, streams }: KnownBuyerDeps,
  basketId: string,
  basket: BasketView | null,
  meta: CommandMeta,
): Promise<void> => {
  const { emailCustomerId, email, billingAddress, shippingAddress } = basket ?? {};
  if (!basket || !emailCustomerId || !email || !billingAddress || !shippingAddress) return;
  const { acceptsMarketing, shippingSameAsBilling } = basket;
  const person = { email, acceptsMarketing, ...splitName(billingAddress.name), basketId };
  const customerId = await apis.customers.known(emailCustomerId, person, stepMeta(meta));
  if (customerId === emailCustomerId) return;
  const addresses = { email, billingAddress, shippingAddress, shippingSameAsBilling, acceptsMarketing };
  const command = { type: 'ChangeAddresses', customerId, ...addresses } as const;
  await streams.send(checkoutStream, basketId, command, stepMeta(meta));
};
