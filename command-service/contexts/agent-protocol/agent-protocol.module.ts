import { UCP } from '#agents/commerce-protocol.ts';
import type { CommandContribution, CommandModule, ModuleDeps } from '#command/engine/module.ts';
import type { Route } from '#http/route.ts';
import { createHandOverTokens } from '#runtime/hand-over-tokens.ts';
import type { Metrics } from '#runtime/metrics.ts';
import { failingReceivers } from '#runtime/notice-log.ts';
import { createBegunByAgents, type BegunByAgents } from './begun/begun-by-agents.ts';
import { createLimitBegun } from './begun/limit-begun.ts';
import { createCartActions, type CartActionDeps } from './carts/agent-cart.actions.ts';
import { agentCartHooks } from './carts/agent-cart.hooks.ts';
import { cartRoutes } from './carts/agent-cart.routes.ts';
import { createCartCheckouts } from './carts/cart-checkout.ts';
import { cartDialectOf, createCartOperations } from './carts/cart-operations.ts';
import { createCartPresenter } from './carts/cart-presenter.ts';
import { expireCarts } from './carts/expire-agent-carts.job.ts';
import { createOpenCarts, type OpenCarts } from './carts/open-carts.ts';
import { completeSession } from './completing/complete-session.process.ts';
import { createCompleteOperation } from './completing/complete-operation.ts';
import { completeRoutes } from './completing/complete-session.routes.ts';
import { createCompletions } from './completing/completions.actions.ts';
import { createManifests } from './discovery/manifests.ts';
import { discoveryRoutes } from './discovery/discovery.routes.ts';
import { createHandOver } from './hand-over/hand-over.actions.ts';
import { handOverRoutes } from './hand-over/hand-over.routes.ts';
import { noticeChecks } from './notice-checks.ts';
import { orderTestRoutes } from './orders/order-tests.routes.ts';
import { createSessionActions } from './sessions/agent-session.actions.ts';
import { sessionRoutes } from './sessions/agent-session.routes.ts';
import { createSessionOperations, dialectsOf } from './sessions/session-operations.ts';
import { createSessionAnswers } from './sessions/session-answer.ts';
import { createSessionPresenter } from './sessions/session-presenter.ts';
import { expireSessions } from './sessions/expire-agent-sessions.job.ts';
import { createFollowSales } from './sessions/follow-sales.ts';
import { agentSessionHooks } from './sessions/agent-session.hooks.ts';
import { createOwedNotices, type OwedNotices } from './sessions/owed-notices.ts';
import { createSessionNotices } from './sessions/queue-session-notices.ts';
import { createOpenSessions, type OpenSessions } from './sessions/open-sessions.ts';
import { createStoredAddresses } from './sessions/stored-addresses.ts';
import { ucpTestRoutes } from './trials/ucp-test.routes.ts';
import { ensureSigningKey } from './signing-keys/first-signing-key.ts';
import { rotateSigningKeys } from './signing-keys/rotate-signing-keys.job.ts';
import { createSigningKeyActions } from './signing-keys/signing-keys.actions.ts';
import { signingKeyRoutes } from './signing-keys/signing-keys.routes.ts';

const MINUTE_SECONDS = 60;

const followerOf = (
  { reach }: Pick<ModuleDeps, 'reach'>,
  name: string,
  { idle }: Pick<ReturnType<typeof createFollowSales>, 'idle'>,
): NonNullable<CommandContribution['followers']>[number] => ({
  name,
  waitFor: async (position, timeoutMs) => {
    await reach(position);
    return idle(timeoutMs);
  },
});

/** For shoppers who go on with what an agent has begun. */
const openingRoutes = (deps: ModuleDeps, ofCarts: CartActionDeps): readonly Route[] => {
  const tokens = createHandOverTokens(deps.keys.applicationKey);
  const openings = deps.limits.perWindow('hand-over links', MINUTE_SECONDS);
  return handOverRoutes({ ...deps, handOver: createHandOver({ ...ofCarts, tokens }), openings });
};

const countOpen =
  (sessions: OpenSessions, carts: OpenCarts) =>
  (metrics: Metrics): void => {
    const ofSessions = 'Checkout sessions of agents that are not over';
    metrics.gauge('tillroll_agent_sessions_open', ofSessions, () => sessions.count());
    metrics.gauge('tillroll_agent_carts_open', 'Carts of agents that are not over', () => carts.count());
  };

/** How agents buy (docs/rules/agents.md). */
export const agentProtocol: CommandModule<readonly [OpenSessions, OpenCarts, BegunByAgents, OwedNotices]> = {
  name: 'agent-protocol',
  beforeHooks: [agentSessionHooks, agentCartHooks],
  processes: [completeSession],
  follows: () => [createOpenSessions(), createOpenCarts(), createBegunByAgents(), createOwedNotices()],
  create: async (deps, [openSessions, openCarts, begun, owedNotices]) => {
    const reach = (): Promise<void> => deps.reach();
    const { protocol } = deps.config;
    const { ucp } = protocol;
    const { sessionTtlMinutes: ttlMinutes, cartTtlMinutes } = ucp;
    const sales = createFollowSales({ ...deps, ttlMinutes, openSessions, reach });
    const injection = ucp.extensions.fulfillment ? ucp.storedAddressInjection : 'off';
    const storedAddresses = createStoredAddresses(deps, injection);
    const sessions = createSessionActions({ ...deps, ttlMinutes, storedAddresses });
    const present = createSessionPresenter(deps);
    const answers = createSessionAnswers({ ...deps, present });
    const completions = createCompletions({ ...deps, ttlMinutes });
    const ofCarts = { ...deps, ttlMinutes: cartTtlMinutes };
    const limitBegun = createLimitBegun(begun, ucp);
    const carts = createCartActions(ofCarts);
    const checkouts = {
      ...createSessionOperations({
        ...{ ...deps, sessions, answers, limitBegun },
        carts: createCartCheckouts({ ...ofCarts, sessions }),
      }),
      completeSession: createCompleteOperation({ ...deps, sessions, present, answers, completions }),
    };
    const { getSession } = checkouts;
    const notices = await createSessionNotices({ ...deps, owedNotices, getSession, reach });
    const { protocols } = deps;
    protocols.register({
      alias: UCP,
      enabled: true,
      ...checkouts,
      ...createCartOperations({ ...deps, carts, present: createCartPresenter(deps), limitBegun }),
    });
    const tellNews = (): Promise<void> => sales.run().then(notices.run);
    const signingKeys = createSigningKeyActions(deps);
    const sessionRouting = { protocols, protocol, dialectOf: dialectsOf(sessions) };
    return {
      drivers: { [completeSession.name]: completions },
      routes: [
        ...discoveryRoutes(createManifests(deps), protocols, protocol),
        ...ucpTestRoutes(deps),
        ...sessionRoutes(sessionRouting),
        ...completeRoutes(sessionRouting),
        ...cartRoutes({ protocols, protocol, dialectOf: cartDialectOf(carts) }),
        ...openingRoutes(deps, ofCarts),
        ...orderTestRoutes(deps),
        ...signingKeyRoutes({ ...deps, actions: signingKeys }),
      ],
      shopChecks: noticeChecks({ failingReceivers: () => failingReceivers(deps.stateStore) }),
      prepare: () => ensureSigningKey(deps),
      jobs: [
        rotateSigningKeys(signingKeys),
        expireSessions({ ...deps, openSessions, reach, tellNews }),
        expireCarts({ ...ofCarts, openCarts, reach }),
      ],
      actions: { agentSessions: sessions, agentCheckouts: checkouts },
      followers: [followerOf(deps, 'agent-sessions', sales), followerOf(deps, 'session notices', notices)],
      measure: countOpen(openSessions, openCarts),
      stop: () => sales.stop().then(notices.stop),
    };
  },
};
