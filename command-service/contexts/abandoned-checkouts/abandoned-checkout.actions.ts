import type { AbandonedCheckoutsApi } from './abandoned-checkout.commands.ts';
import type { DetectedCheckouts } from './detect-abandoned.job.ts';
import type { Recovery } from './recovery/recover.actions.ts';

/** What can be done to abandoned checkouts without a request. */
export interface AbandonedCheckoutActions extends AbandonedCheckoutsApi, Pick<Recovery, 'recover'> {
  /** A pass of the job `detect-abandoned`, at once. */
  detect(): Promise<DetectedCheckouts>;
}
