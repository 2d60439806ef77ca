import { statusJob, type StatusJobDeps } from '#command/engine/status-job.ts';
import type { Job } from '#runtime/job-runner.ts';

export const discountStatus = (deps: StatusJobDeps): Job => statusJob('discount-status', 'a discount', deps);
