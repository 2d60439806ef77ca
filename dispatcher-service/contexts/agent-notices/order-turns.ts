import type { Clock } from '#kernel/clock.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { AgentNotice } from '#topics/agent-notice.ts';
import { earlierOpen, isUnderWay, nextOpen, takeNoticeStep } from './notice-rows.ts';
import { parkNotice, releaseNotice } from './notice-steps.ts';

export interface OrderTurnsDeps {
  readonly stateStore: DocumentStore;
  readonly clock: Clock;
  /** Whether a notice of this order is under way here. */
  readonly isTelling: (entityId: string) => boolean;
  /** Offers a notice to its queue, here or in the process that holds it. Errors: `EngineUnavailable`. */
  readonly offer: (notice: AgentNotice) => Promise<void>;
}

/**
 * Notices of an order go out one after the other, also across retries (docs/rules/agent-notices.md#order): one whose
 * turn it is not leaves its queue, so that it stands in no other order's way, until the one before it is done. Should a
 * kill come in between, the job looks after it. Errors of all: `EngineUnavailable`.
 */
export const createOrderTurns = ({ stateStore, clock, isTelling, offer }: OrderTurnsDeps) => {
  const release = async (notice: AgentNotice): Promise<void> => {
    const released = await takeNoticeStep(stateStore, releaseNotice(notice, clock.now()));
    if (released) await offer(released);
  };

  return {
    /** False: it has been parked. */
    isTurnOf: async (notice: AgentNotice): Promise<boolean> => {
      const earlier = await earlierOpen(stateStore, notice);
      if (!earlier) return true;
      await takeNoticeStep(stateStore, parkNotice(notice, earlier.dueAt, clock.now()));
      // Done meanwhile, it looked for the next one before that was parked.
      return (await earlierOpen(stateStore, notice)) === null;
    },

    /**
     * Looks at one that was parked, or that staff send again: it is offered, or put off further. A later one may be
     * under way when staff have an earlier one sent again.
     */
    lookAt: async (notice: AgentNotice): Promise<void> => {
      const earlier = await earlierOpen(stateStore, notice);
      const isFree = !earlier && !isTelling(notice.entityId) && !(await isUnderWay(stateStore, notice));
      if (isFree) return release(notice);
      await takeNoticeStep(stateStore, parkNotice(notice, earlier?.dueAt ?? null, clock.now()));
    },

    /** Has the next notice of an order take its turn, after one of them is done. */
    passOn: async (done: AgentNotice): Promise<void> => {
      const next = await nextOpen(stateStore, done);
      if (next?.queue === null) await release(next);
    },
  };
};
