import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { AgentSession, Completion } from './agent-session.state.ts';
import { paidElsewhere } from './paid-elsewhere.ts';

interface GivingUpDeps {
  readonly apis: { readonly orders: Pick<CommandDeps['apis']['orders'], 'giveUp'> };
}

const beingPaid = new Set(['payment-unknown', 'invoice-already-paid']);

/**
 * Closes an order before its session goes on without it: what its buyer still pays is owed back, and a kill in between
 * leaves a payment that came to nothing. Errors: Rejection `checkout_not_modifiable` once they have paid.
 */
export const giveUpOrder = ({ apis }: GivingUpDeps, invoiceId: string, meta: CommandMeta): Promise<void> =>
  apis.orders.giveUp(invoiceId, stepMeta(meta)).catch((error: unknown) => {
    throw error instanceof Rejection && beingPaid.has(error.code) ? paidElsewhere() : error;
  });

/** The same of the order that only waits for its buyer. Returns the completion that it leaves behind; null: none. */
export const giveUpAwaited = async (
  deps: GivingUpDeps,
  session: AgentSession,
  meta: CommandMeta,
): Promise<Completion | null> => {
  const completion = session.status === 'active' ? session.completion : null;
  if (completion?.awaited?.from !== 'buyer') return null;
  await giveUpOrder(deps, completion.awaited.invoiceId, meta);
  return completion;
};
