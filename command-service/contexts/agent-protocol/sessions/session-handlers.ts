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

/**
 * The ways to pay that the agent of a session may use: the same list for as long as neither the settings nor the
 * providers change, which stand in a new object then.
 */
export const createSessionHandlers = (deps: SessionHandlerDeps) => {
  let sources: readonly unknown[] = [];
  const made = new Map<boolean, readonly PaymentHandler[]>();
  return (session: Pick<AgentSession, 'memberId'>): readonly PaymentHandler[] => {
    const providers = deps.apis.payments.offeredToAgents();
    const current = [providers, deps.settings()];
    if (current.some((source, index) => source !== sources[index])) made.clear();
    sources = current;
    const facts = handlerFacts(deps, session);
    const known = made.get(facts.hasMembers);
    if (known) return known;
    const handlers = handledMethods(providers, facts).map(({ handler }) => handler);
    made.set(facts.hasMembers, handlers);
    return handlers;
  };
};
