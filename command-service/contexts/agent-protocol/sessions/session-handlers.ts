import { handledMethods, type HandlerFacts } from '#agents/payment-handlers.ts';
import type { PaymentHandler } from '#agents/protocol-session.ts';
import type { ModuleDeps } from '#command/engine/module.ts';
import type { AgentSession } from './agent-session.state.ts';

export type SessionHandlerDeps = Pick<ModuleDeps, 'apis' | 'config' | 'settings'>;

/** Buying on account is for the member who is linked. */
export const handlerFacts = (
  { config, settings }: Pick<SessionHandlerDeps, 'config' | 'settings'>,
  { memberId }: Pick<AgentSession, 'memberId'>,
): HandlerFacts => ({
  schemaBaseUrl: config.protocol.ucp.schemaBaseUrl,
  storeName: settings().name,
  hasMembers: memberId !== null,
});

/** The ways to pay that the agent of a session may use. */
export const sessionHandlers = (
  deps: SessionHandlerDeps,
  session: Pick<AgentSession, 'memberId'>,
): readonly PaymentHandler[] =>
  handledMethods(deps.apis.payments.offeredToAgents(), handlerFacts(deps, session)).map(
    ({ handler }) => handler,
  );
