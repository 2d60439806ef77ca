import type { Logger } from 'pino';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { Job } from '#runtime/job-runner.ts';
import { workOffDue } from '#runtime/work-off.ts';
import { agentCarts } from './agent-cart.stream.ts';
import type { OpenCarts } from './open-carts.ts';
import { settleCart, type SettleCartDeps } from './settle-cart.ts';

interface ExpireCartsDeps extends SettleCartDeps {
  readonly openCarts: OpenCarts;
  /** Resolves once this process has read the log up to its head. */
  readonly reach: () => Promise<void>;
  readonly log: Pick<Logger, 'warn'>;
}

/** What came of a pass. */
export type SettledCarts = Readonly<Record<'settled' | 'kept' | 'failed', number>>;

interface ExpiringJob extends Job {
  runOnce(now: number, signal?: AbortSignal): Promise<SettledCarts>;
}

/** Side by side, as sessions are. */
const AT_ONCE = 64;

const metaOf = (cartId: string): CommandMeta => ({
  correlationId: cartId,
  causationId: 'expire-agent-carts',
  actor: { kind: 'system', id: 'expire-agent-carts' },
});

/** Ends the carts whose time is over or that are bought, and opens those whose session is over again. */
export const expireCarts = ({ openCarts, reach, log, ...deps }: ExpireCartsDeps): ExpiringJob => ({
  name: 'expire-agent-carts',
  schedule: '* * * * *',
  worksOff: openCarts.name,
  runOnce: async (now, signal) => {
    await reach();
    const { done, kept, failed } = await workOffDue({
      takeDue: (max) => openCarts.takeDue(now, max),
      putBack: openCarts.putBack,
      atOnce: AT_ONCE,
      signal,
      act: async (cartId) => {
        const { state } = await deps.streams.load(agentCarts, cartId);
        return (await settleCart(deps, cartId, state, false, metaOf(cartId))) !== state;
      },
      onFailure: (cartId, err) => log.warn({ cartId, err }, 'a cart of an agent expires later'),
    });
    return { settled: done, kept, failed };
  },
});
