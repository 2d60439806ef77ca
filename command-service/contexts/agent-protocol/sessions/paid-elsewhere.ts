import type { CommandDeps } from '#command/engine/service-deps.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isBought, type BasketState } from '../../basket/basket.state.ts';
import { isKnown } from '../../invoices/invoice.state.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';

/** An order is being made of it, or was paid for. */
const isBeingBought = (basket: BasketState): boolean => basket.placement !== null || isBought(basket);

const paidElsewhere = (): Rejection =>
  new Rejection(
    'checkout_not_modifiable',
    'The buyer is paying for this checkout, or has paid. Read it again.',
  );

/**
 * The shopper to whom the basket was handed over may pay for it, too. Errors: Rejection `checkout_not_modifiable` once
 * they do, until their payment has come to nothing.
 */
export const refuseWhilePaid = async (
  { streams }: Pick<CommandDeps, 'streams'>,
  basket: BasketState,
): Promise<void> => {
  if (isBeingBought(basket)) throw paidElsewhere();
  if (basket.order === null) return;
  const { state } = await streams.load(invoiceStream, basket.order.invoiceId);
  if (isKnown(state) && (state.openAttempt ?? state.pending) !== null) throw paidElsewhere();
};
