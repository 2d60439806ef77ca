import type { CommandDeps } from '#command/engine/service-deps.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isBought, type BasketState } from '../../basket/basket.state.ts';
import { basketLinesStream } from '../../basket/basket.stream.ts';
import { isKnown } from '../../invoices/invoice.state.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';
import type { PaymentSession } from '../../invoices/payments/payment-sessions.state.ts';
import { completionOf, isDue, type AgentSession } from './agent-session.state.ts';

/** An order is being made of it, or was paid for. */
const isBeingBought = (basket: BasketState): boolean => basket.placement !== null || isBought(basket);

export const paidElsewhere = (): Rejection =>
  new Rejection(
    'checkout_not_modifiable',
    'The buyer is paying for this checkout, or has paid. Read it again.',
  );

type PaidDeps = { readonly streams: Pick<CommandDeps['streams'], 'load'> };

/** Where the agent's completion has sent the buyer: the first page since it began, and others of the same attempt. */
const pageOf = (
  session: AgentSession,
  pages: readonly PaymentSession[],
): ((page: PaymentSession) => boolean) => {
  const begun = Date.parse(completionOf(session)?.startedAt ?? '');
  const first = pages.find(({ openedAt }) => Date.parse(openedAt) >= begun);
  return (page) => page === first || (page.attemptId !== null && page.attemptId === first?.attemptId);
};

/** Whether the shopper to whom the basket was handed over pays for it, until their payment has come to nothing. */
const isPaidElsewhere = async (
  { streams }: PaidDeps,
  session: AgentSession,
  basket: BasketState,
): Promise<boolean> => {
  if (isBeingBought(basket)) return true;
  if (basket.order === null) return false;
  const { invoiceId } = basket.order;
  const { state } = await streams.load(invoiceStream, invoiceId);
  if (!isKnown(state)) return false;
  if ((state.openAttempt ?? state.pending) !== null) return true;
  if (state.status !== 'open') return false;
  // An order of the shopper's may still be paid as it is; the agent's own, left unpaid, is replaced by its next one.
  const awaited = completionOf(session)?.awaited?.invoiceId;
  const isOwn = [session.failed?.invoiceId, awaited].includes(invoiceId);
  if ((basket.handOver !== null && !isOwn) || state.heldUntil !== null) return true;
  // The page that the agent waits for it may give up; on any other the shopper pays.
  const isAwaited = awaited === invoiceId ? pageOf(session, state.sessions) : () => false;
  return state.sessions.some((one) => one.status === 'open' && !isAwaited(one));
};

/** Errors: Rejection `checkout_not_modifiable` while someone else pays. */
export const refuseWhilePaid = async (
  deps: PaidDeps,
  session: AgentSession,
  basket: BasketState,
): Promise<void> => {
  if (await isPaidElsewhere(deps, session, basket)) throw paidElsewhere();
};

/** Whether its time is over, and no one is paying. */
export const mayExpire = async (deps: PaidDeps, session: AgentSession, now: string): Promise<boolean> => {
  if (session.status !== 'active' || !isDue(session, now)) return false;
  const { state: basket } = await deps.streams.load(basketLinesStream, session.basketId);
  return basket.isForgotten || !(await isPaidElsewhere(deps, session, basket));
};
