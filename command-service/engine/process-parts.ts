import type { Runtime } from '../../shared-kernel/open-runtime.ts';
import type { Contribution } from '../../shared-kernel/module.ts';
import type { ProcessRunner } from './resume-processes.ts';

/** How the processes are watched and waited for. */
export const processParts = ({ follower }: Runtime, processes: ProcessRunner): Contribution => ({
  followers: [
    {
      name: 'processes',
      // What is open is known up to where reference state is.
      waitFor: async (position, timeoutMs) =>
        (await follower.waitFor(position, timeoutMs)) && processes.idle(timeoutMs),
    },
  ],
  measure: (metrics) =>
    metrics.gauge('tillroll_open_processes', 'Processes under way', () => processes.openCount()),
});
