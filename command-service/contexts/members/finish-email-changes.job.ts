import { newId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { Job } from '#runtime/job-runner.ts';
import { members, type Member } from '#runtime/members.ts';
import type { MemberActionDeps } from './member-records.ts';
import { finishEmailChange } from './new-email.ts';

const NAME = 'finish-email-changes';
/** No request takes longer. */
const LEFT_ALONE_MILLISECONDS = 60_000;
const AT_ONCE = 100;

/** Goes on with changes of an e-mail address that a kill has cut off. */
export const finishEmailChanges = (deps: MemberActionDeps): Job => ({
  name: NAME,
  schedule: '* * * * *',
  runOnce: async (now) => {
    const due = await deps.stateStore.find<Member>(members, {
      filter: { 'emailChange.begunAt': { lte: now - LEFT_ALONE_MILLISECONDS } },
      limit: AT_ONCE,
    });
    let [finished, refused] = [0, 0];
    for (const member of due) {
      const meta = {
        correlationId: newId(),
        causationId: NAME,
        actor: { kind: 'system', id: NAME },
      } as const;
      try {
        await finishEmailChange(deps, member, meta);
        finished++;
      } catch (error) {
        // Another customer has the address by now, or the owner's hooks object: the account has gone back to its own.
        if (!(error instanceof Rejection)) throw error;
        refused++;
      }
    }
    return { finished, refused };
  },
});
