import type { Logger } from 'pino';
import type { DatedCommand } from '#entities/dated-rule.ts';
import type { EntityState } from '#kernel/entity.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { Job } from '#runtime/job-runner.ts';
import { workOff } from '#runtime/work-off.ts';
import type { Dated } from '#values/dated-status.ts';
import type { BeforeNotification } from '#values/notifications.ts';
import type { CommandMeta } from './command-engine.ts';
import { commandHooks, type CommandHooks, type Notified } from './hooks.ts';

/** What hooks are asked before a rule is switched on or off (docs/guides/hooks.md#notifications). */
export const datedHooks = (category: string, notification: BeforeNotification): CommandHooks => {
  const about = (state: EntityState<Dated>, id: string, isActivated: boolean): Notified => [
    notification,
    { ...(state.status === 'present' && state.fields), id, isActivated },
  ];
  return commandHooks<EntityState<Dated>, DatedCommand>(category, {
    Activate: (_, state, id) => about(state, id, true),
    Deactivate: (_, state, id) => about(state, id, false),
    FollowDates: (_, state, id) =>
      about(state, id, state.status === 'present' && state.fields.status === 'Scheduled'),
  });
};

interface StatusJob {
  readonly name: string;
  readonly worksOff: string;
  /** `a discount` */
  readonly noun: string;
  /** The ids of rules whose dates ask for another status by then: the others are not looked at. */
  readonly changing: (now: number) => readonly string[];
  readonly send: (id: string, command: DatedCommand, meta: CommandMeta) => Promise<{ hasChanged: boolean }>;
  readonly log: Pick<Logger, 'warn'>;
}

/** Changed side by side: they share the waits for the disk. */
const AT_ONCE = 16;

/** Deleted meanwhile, or an owner's hook does not want it: that is no failure. */
const refusedStays = (error: unknown): { readonly hasChanged: boolean } => {
  if (error instanceof Rejection) return { hasChanged: false };
  throw error;
};

/** Gives rules the status that their dates ask for, each change once (docs/rules/discounts.md#status). */
export const statusJob = ({ name, worksOff, noun, changing, send, log }: StatusJob): Job => ({
  name,
  schedule: '* * * * *',
  worksOff,
  isDue: (now) => changing(now).length > 0,
  runOnce: async (now) => {
    const due = changing(now);
    let changed = 0;
    const failed = await workOff(due, {
      atOnce: AT_ONCE,
      act: async (id) => {
        const meta = { correlationId: id, causationId: name, actor: { kind: 'system', id: name } } as const;
        const { hasChanged } = await send(id, { type: 'FollowDates' }, meta).catch(refusedStays);
        if (hasChanged) changed++;
      },
      onFailure: (id, err) => log.warn({ id, err }, `${noun} could not be given its status yet`),
    });
    return { changed, kept: due.length - changed - failed, failed };
  },
});
