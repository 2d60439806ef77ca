import { modulesThatExplain } from '../../modules.ts';
import { openQueries } from '../report/offline-reports.ts';
import type { OpenWhy } from './why-command.ts';

/** Explanations from the configured engines, for the command line where no shop runs on this machine. */
export const openWhy: OpenWhy = async (config, view) => openQueries(config, modulesThatExplain(view));
