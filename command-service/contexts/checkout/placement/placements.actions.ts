import type { CommandMeta, Loaded } from '#command/engine/command-engine.ts';
import { createInstances, type Performs, type Run } from '#command/engine/run-process.ts';
import type { RunAlone } from '#command/engine/run-alone.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { BasketState } from '../../basket/basket.state.ts';
import { basketEndStream, checkoutStream } from '../checkout.stream.ts';
import { placeOrder, type OpenPlacement, type PlacementCalls } from './place-order.process.ts';

interface PlacementDeps extends Pick<CommandDeps, 'streams' | 'settings'> {
  readonly calls: Performs<PlacementCalls>;
  readonly runAlone?: RunAlone;
}

/**
 * A driver that takes over has a later turn, and the first driver's late commands are refused: most placements need
 * no lease.
 */
const LEASE_AFTER_MILLISECONDS = 1000;

/** Placements of orders: the request that opens one drives it, the runner resumes what a crash left open. */
export const createPlacements = ({ streams, settings, ...options }: PlacementDeps) => {
  // Named by the placement: the next one of a basket may begin before the lease of the one before is given back.
  const instances = createInstances({ process: placeOrder, streams, ...options });

  const openAs = (
    basketId: string,
    placementId: string,
    { state: { placement }, position: begunBy }: Pick<Loaded<BasketState>, 'state' | 'position'>,
    isResumed: boolean,
  ): OpenPlacement | null => {
    if (placement?.placementId !== placementId) return null;
    const { invoiceNumberPrefix } = settings();
    return { ...placement, basketId, isResumed, invoiceNumberPrefix, begunBy };
  };

  return {
    /** Drives a placement that the caller has just opened. Null when another driver has taken it over. */
    drive: (
      basketId: string,
      { placementId, turn: first }: { readonly placementId: string; readonly turn?: number | undefined },
      cause: CommandMeta,
    ): Promise<Run<OpenPlacement> | null> =>
      instances.run(
        placementId,
        cause,
        async () => {
          const known = await streams.recall(checkoutStream, basketId);
          const open = openAs(basketId, placementId, known, false);
          return open && first !== undefined && open.turn > first ? null : open;
        },
        { leaseAfterMilliseconds: LEASE_AFTER_MILLISECONDS },
      ),

    /**
     * Takes over a placement that stands still, or that another request has opened. Null when it has ended: to send its
     * steps again could take back what a later placement holds.
     */
    resume: async (basketId: string, placementId: string | null, cause: CommandMeta) => {
      const openPlacement = async () => (await streams.load(checkoutStream, basketId)).state.placement;
      const id = placementId ?? (await openPlacement())?.placementId;
      if (id === undefined) return null;
      return instances.run(id, cause, async (meta) => {
        if ((await openPlacement())?.placementId !== id) return null;
        const command = { type: 'ResumePlacement', placementId: id } as const;
        const resumed = await streams.send(basketEndStream, basketId, command, meta, { isProcessStep: true });
        return openAs(basketId, id, resumed, true);
      });
    },

    running: (placementId: string) => instances.running(placementId),
    drain: () => instances.drain(),
  };
};

export type Placements = ReturnType<typeof createPlacements>;
