import { handledMethods, type HandledMethod, type HandlerFacts } from '#agents/payment-handlers.ts';
import type { PaymentHandler } from '#agents/protocol-session.ts';
import type { ModuleDeps } from '#command/engine/module.ts';
import type { MemberPayments } from '../../payments/agents/agent-payments.commands.ts';

export type SessionHandlerDeps = Pick<ModuleDeps, 'apis' | 'config' | 'settings'>;

/** Buying on account is for the member who is linked, where staff have granted it. */
export const handlerFacts = (
  { config, settings }: Pick<SessionHandlerDeps, 'config' | 'settings'>,
  payments: MemberPayments | null,
): HandlerFacts => ({
  schemaBaseUrl: config.protocol.ucp.schemaBaseUrl,
  storeName: settings().name,
  hasMembers: payments?.buysOnAccount ?? false,
});

/** The payment handlers of a session, and the shop's methods behind them. */
export interface SessionHandlers {
  readonly handlers: readonly PaymentHandler[];
  readonly methods: readonly HandledMethod[];
}

/**
 * The ways to pay that the agent of a session may use: the same list for as long as neither the settings nor the
 * providers change, which stand in a new object then.
 */
export const createSessionHandlers = (deps: SessionHandlerDeps) => {
  let sources: readonly unknown[] = [];
  const made = new Map<boolean, SessionHandlers>();
  return (payments: MemberPayments | null): SessionHandlers => {
    const providers = deps.apis.payments.offeredToAgents();
    const current = [providers, deps.settings()];
    if (current.some((source, index) => source !== sources[index])) made.clear();
    sources = current;
    const facts = handlerFacts(deps, payments);
    const known = made.get(facts.hasMembers);
    if (known) return known;
    const methods = handledMethods(providers, facts);
    const offered = { handlers: methods.map(({ handler }) => handler), methods };
    made.set(facts.hasMembers, offered);
    return offered;
  };
};
