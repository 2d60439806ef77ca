import type { CommandDeps } from '#command/engine/service-deps.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isBought, type BasketState } from '../../basket/basket.state.ts';
import { isKnown } from '../../invoices/invoice.state.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';
import { completionOf, type AgentSession } from './agent-session.state.ts';

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
  session: AgentSession,
  basket: BasketState,
): Promise<void> => {
  if (isBeingBought(basket)) throw paidElsewhere();
  if (basket.order === null) return;
  const { state } = await streams.load(invoiceStream, basket.order.invoiceId);
  if (!isKnown(state)) return;
  // An order of the shopper's may still be paid as it is; the agent's own, left unpaid, is replaced by its next one.
  const own = [session.failed?.invoiceId, completionOf(session)?.awaited?.invoiceId];
  const isShoppers = basket.handOver !== null && !own.includes(basket.order.invoiceId);
  const isPayable = state.status === 'open' && isShoppers;
  if (isPayable || (state.openAttempt ?? state.pending) !== null) throw paidElsewhere();
};
