import type { StoreSettings } from './store-settings.ts';

/** When a checkout began and when its basket last changed; ISO instants. */
export interface CheckoutSession {
  readonly begunAt: string;
  readonly changedAt: string;
}

export type SessionTimeouts = Pick<
  StoreSettings,
  'sessionSlidingTimeoutMinutes' | 'sessionAbsoluteTimeoutMinutes'
>;

const hasPassed = (minutes: number, since: string, now: number): boolean =>
  minutes > 0 && now - Date.parse(since) >= minutes * 60_000;

/** Whether a checkout has stood still for too long, or has taken too long (docs/rules/checkout.md#timeouts). */
export const isTimedOut = (
  { begunAt, changedAt }: CheckoutSession,
  { sessionSlidingTimeoutMinutes: sliding, sessionAbsoluteTimeoutMinutes: absolute }: SessionTimeouts,
  now: number,
): boolean => hasPassed(sliding, changedAt, now) || hasPassed(absolute, begunAt, now);
