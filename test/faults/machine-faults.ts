import { cutLog, noReadStore, olderRelease } from './data-folder.ts';
import { fullDisk, killedOnFullDisk } from './disk.ts';
import type { MachineFault } from './fault.ts';
import { hotCopy } from './hot-copy.ts';
import { fewDescriptors, filesMayNotGrow, stopped } from './limits.ts';

/** Everything that a machine is known to do to a shop that writes to its own disk. */
export const machineFaults: readonly MachineFault[] = [
  fullDisk,
  killedOnFullDisk,
  filesMayNotGrow,
  fewDescriptors,
  stopped,
  noReadStore,
  olderRelease,
  hotCopy,
  cutLog,
];
