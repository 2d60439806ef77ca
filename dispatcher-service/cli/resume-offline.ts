import { memoryEngines } from '#runtime/config-engines.ts';
import { closeEngines, openEngines } from '../../shared-kernel/open-engines.ts';
import type { ResumeOffline } from '../cli.ts';
import { resumeDispatch } from '../engine/resume-dispatch.ts';
import { resumablesOf } from '../modules.ts';

/** Resumes on the configured engines, for the command line where no shop runs on this machine. */
export const resumeOffline: ResumeOffline = async ({ engines: { events, state } }, from) => {
  if (events.kind === 'memory' || state.kind === 'memory')
    throw new Error('EVENT_STORE or STATE_STORE is in memory: there is nothing to resume.');
  const engines = await openEngines({ ...memoryEngines, events, state });
  try {
    return await resumeDispatch(engines.store, resumablesOf(engines), from);
  } finally {
    await closeEngines(engines);
  }
};
