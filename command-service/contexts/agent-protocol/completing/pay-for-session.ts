import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { Performs } from '#command/engine/run-process.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { agentSource } from '#values/agent-source.ts';
import { basketLinesStream } from '../../basket/basket.stream.ts';
import type { Buyer } from '../../checkout/checkout.commands.ts';
import { checkoutStream } from '../../checkout/checkout.stream.ts';
import type { AgentOrder } from '../../payments/agents/agent-payments.commands.ts';
import type { AgentSession } from '../sessions/agent-session.state.ts';
import { billTo } from '../sessions/session-buyer.ts';
import { asBasketBearsOut } from '../sessions/session-member.ts';
import { isAsAgreed } from './agreed-order.ts';
import type { CompletionCalls, SessionPayment } from './complete-session.process.ts';
import { sessionUnderWay } from './session-under-way.ts';

type PayDeps = Pick<CommandDeps, 'streams' | 'apis' | 'reference' | 'settings'>;

const buyerOf = (
  sessionId: string,
  { agent, agentName, isVerified, memberId }: AgentSession,
  { ip, wantedCurrency, shown }: SessionPayment,
): Buyer => ({
  // The terms are linked in every answer: who completes the checkout has accepted them.
  hasAcceptedTerms: true,
  mayStayUnknown: true,
  source: agentSource({ agent, agentName, sessionId }),
  ...{ ip, wantedCurrency, shown },
  ...(isVerified && { agent }),
  ...(memberId !== null && { memberId }),
});

/** Its own id for each try: the placement and the payment know a repeat by it. */
const tryOf = (completionId: string, meta: CommandMeta): CommandMeta => ({
  ...meta,
  commandId: derivedId('order of completion', completionId),
});

/**
 * What was refused after the order was placed, here or by an earlier run that was killed, names the order that is left
 * unpaid: it is the agent's.
 */
const namingOrder = async (
  { streams }: PayDeps,
  { basketId, failed }: AgentSession,
  { commandId = '' }: CommandMeta,
  error: unknown,
): Promise<unknown> => {
  if (!(error instanceof Rejection)) return error;
  const { order } = (await streams.recall(checkoutStream, basketId)).state;
  const isOwn =
    order?.placementId === derivedId('placement', commandId) || order?.invoiceId === failed?.invoiceId;
  if (!order || !isOwn) return error;
  return new Rejection(error.code, error.message, { ...error.details, invoiceId: order.invoiceId });
};

/**
 * Asked last, of the member's own stream: the link may have ended since the request came, and an order stays
 * (docs/rules/linked-members.md#ending). Errors: Rejection `invalid_token`.
 */
const refuseUnlinked = async (
  { apis }: PayDeps,
  { memberId }: AgentSession,
  { grantId }: SessionPayment,
): Promise<void> => {
  if (memberId === null) return;
  if (grantId !== null && (await apis.agentLinks.isLinked(memberId, grantId))) return;
  throw new Rejection('invalid_token', 'This agent may no longer act for the buyer.');
};

/** As its basket bears it out now: a shopper may have taken that over. */
const borneOut = async ({ streams }: PayDeps, session: AgentSession): Promise<AgentSession> =>
  session.memberId === null
    ? session
    : asBasketBearsOut(session, (await streams.load(basketLinesStream, session.basketId)).state);

/** What completing a session asks of checkout and payments. */
export const completionCalls = (deps: PayDeps): Performs<CompletionCalls> => ({
  pay: async ({ sessionId, completionId, payment }, meta) => {
    const session = await borneOut(deps, await sessionUnderWay(deps, sessionId, completionId));
    const asked = tryOf(completionId, meta);
    const order: AgentOrder = {
      buyer: buyerOf(sessionId, session, payment),
      memberId: session.memberId,
      isAgreed: (invoice) => isAsAgreed(invoice, payment.agreed),
    };
    try {
      await refuseUnlinked(deps, session, payment);
      await billTo(deps, session, payment, meta);
      return await deps.apis.payments.payForAgent(session.basketId, payment, order, asked);
    } catch (error) {
      throw await namingOrder(deps, session, asked, error);
    }
  },
  look: async ({ basketId, startedAt }, meta) => {
    const { order } = (await deps.streams.load(checkoutStream, basketId)).state;
    return order === null ? null : deps.apis.payments.paidByNow(order.invoiceId, startedAt, meta);
  },
});
