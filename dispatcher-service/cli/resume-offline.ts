import { memoryEngines } from '#runtime/config-engines.ts';
import { loadKeys } from '#runtime/keys.ts';
import { closeEngines, openEngines } from '../../shared-kernel/open-engines.ts';
import type { ResumeOffline } from '../cli.ts';
import { resumeDispatch } from '../engine/resume-dispatch.ts';
import { resumablesOf } from '../modules.ts';

/** Resumes on the configured engines, for the command line where no shop runs on this machine. */
export const resumeOffline: ResumeOffline = async (config, from) => {
  const { events, state } = config.engines;
  if (events.kind === 'memory' || state.kind === 'memory')
    throw new Error('EVENT_STORE or STATE_STORE is in memory: there is nothing to resume.');
  // Before there are files: none is made up beside them.
  loadKeys(config);
  const engines = await openEngines({ ...memoryEngines, events, state });
  try {
    return await resumeDispatch(engines.store, resumablesOf(engines), from);
  } finally {
    await closeEngines(engines);
  }
};
