import { UCP } from '#agents/commerce-protocol.ts';
import type { CommandModule } from '#command/engine/module.ts';
import { expireCarts } from './carts/expire-agent-carts.job.ts';
import { createOpenCarts, type OpenCarts } from './carts/open-carts.ts';
import { completeSession } from './completing/complete-session.process.ts';
import { createCompletions } from './completing/completions.actions.ts';
import { createManifests } from './discovery/manifests.ts';
import { discoveryRoutes } from './discovery/discovery.routes.ts';
import { createSessionActions } from './sessions/agent-session.actions.ts';
import { sessionRoutes } from './sessions/agent-session.routes.ts';
import { createSessionOperations, dialectsOf } from './sessions/session-operations.ts';
import { createSessionPresenter } from './sessions/session-presenter.ts';
import { expireSessions } from './sessions/expire-agent-sessions.job.ts';
import { createFollowSales } from './sessions/follow-sales.ts';
import { agentSessionHooks } from './sessions/agent-session.hooks.ts';
import { createOpenSessions, type OpenSessions } from './sessions/open-sessions.ts';
import { createStoredAddresses } from './sessions/stored-addresses.ts';
import { ensureSigningKey } from './signing-keys/first-signing-key.ts';

/** How agents buy (docs/rules/agents.md). */
export const agentProtocol: CommandModule<readonly [OpenSessions, OpenCarts]> = {
  name: 'agent-protocol',
  beforeHooks: [agentSessionHooks],
  processes: [completeSession],
  follows: () => [createOpenSessions(), createOpenCarts()],
  create: (deps, [openSessions, openCarts]) => {
    const reach = (): Promise<void> => deps.reach();
    const { ucp } = deps.config.protocol;
    const { sessionTtlMinutes: ttlMinutes, cartTtlMinutes } = ucp;
    const sales = createFollowSales({ ...deps, ttlMinutes, openSessions, reach });
    const storedAddresses = createStoredAddresses(
      deps,
      ucp.extensions.fulfillment ? ucp.storedAddressInjection : 'off',
    );
    const sessions = createSessionActions({ ...deps, ttlMinutes, storedAddresses });
    const present = createSessionPresenter(deps);
    const completions = createCompletions({ ...deps, ttlMinutes });
    const { protocols } = deps;
    protocols.register({
      alias: UCP,
      enabled: true,
      ...createSessionOperations({ ...deps, sessions, present }),
    });
    const { protocol } = deps.config;
    return {
      drivers: { [completeSession.name]: completions },
      routes: [
        ...discoveryRoutes(createManifests(deps), protocols, protocol),
        ...sessionRoutes({ protocols, protocol, dialectOf: dialectsOf(sessions) }),
      ],
      prepare: () => ensureSigningKey(deps),
      jobs: [
        expireSessions({ ...deps, openSessions, reach, tellNews: sales.run }),
        expireCarts({ ...deps, openCarts, reach, ttlMinutes: cartTtlMinutes }),
      ],
      actions: { agentSessions: sessions },
      followers: [
        {
          name: 'agent-sessions',
          waitFor: async (position, timeoutMs) => {
            await deps.reach(position);
            return sales.idle(timeoutMs);
          },
        },
      ],
      measure: (metrics) =>
        metrics.gauge('tillroll_agent_sessions_open', 'Checkout sessions of agents that are not over', () =>
          openSessions.count(),
        ),
      stop: sales.stop,
    };
  },
};
