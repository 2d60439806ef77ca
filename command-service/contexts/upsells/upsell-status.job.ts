import { statusJob, type StatusJobDeps } from '#command/engine/status-job.ts';
import type { Job } from '#runtime/job-runner.ts';

export const upsellStatus = (deps: StatusJobDeps): Job => statusJob('upsell-status', 'an upsell rule', deps);
