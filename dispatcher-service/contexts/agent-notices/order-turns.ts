import type { Clock } from '#kernel/clock.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { AgentNotice } from '#topics/agent-notice.ts';
import {
  earlierOpen,
  isUnderWay,
  nextOpen,
  noticeTable,
  parkedAfter,
  takeNoticeStep,
} from './notice-rows.ts';
import { bringForward, parkNotice, releaseNotice } from './notice-steps.ts';

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
 * turn it is not is parked outside its queue, where it holds up no other order, until the one before it is done. After
 * a kill the job looks after it. Errors of all: `EngineUnavailable`.
 */
export const createOrderTurns = ({ stateStore, clock, isTelling, offer }: OrderTurnsDeps) => {
  /** Before it is offered: killed after it has gone out, the job must not find them by its former time only. */
  const bringLaterForward = async (notice: AgentNotice): Promise<void> => {
    const parked = await parkedAfter(stateStore, notice);
    const steps = parked.map((one) => bringForward(one, clock.now()));
    if (steps.length > 0) await noticeTable.takeSteps(stateStore, steps);
  };

  const release = async (notice: AgentNotice): Promise<void> => {
    if (notice.retriedBy !== undefined) await bringLaterForward(notice);
    const released = await takeNoticeStep(stateStore, releaseNotice(notice, clock.now()));
    if (released) await offer(released);
  };

  return {
    /** False: it has been parked. */
    isTurnOf: async (notice: AgentNotice): Promise<boolean> => {
      let row = notice;
      let parkedFor: string | null | undefined;
      for (;;) {
        const earlier = await earlierOpen(stateStore, notice);
        // It may have ended before this one was parked, and so did not find it.
        if (!earlier) return true;
        if (earlier.dueAt === parkedFor) return false;
        parkedFor = earlier.dueAt;
        row = (await takeNoticeStep(stateStore, parkNotice(row, parkedFor, clock.now()))) ?? row;
      }
    },

    /**
     * Offers a notice that was parked, or that staff send again, or parks it further. A later one may be
     * under way when staff have an earlier one sent again.
     */
    lookAt: async (notice: AgentNotice): Promise<void> => {
      const earlier = await earlierOpen(stateStore, notice);
      const isFree = !earlier && !isTelling(notice.entityId) && !(await isUnderWay(stateStore, notice));
      if (isFree) return release(notice);
      await takeNoticeStep(stateStore, parkNotice(notice, earlier?.dueAt ?? null, clock.now()));
    },

    /** Offers the next notice of an order after one of them is done. */
    passOn: async (done: AgentNotice): Promise<void> => {
      const next = await nextOpen(stateStore, done);
      if (next?.queue === null) await release(next);
    },
  };
};
