import type { Rejection } from './rejection.ts';

/** Leave for one client address to make one more of something (docs/rules/settings.md#limits-by-address). */
export interface Admission {
  /** Counts one; the refusal where there were as many as may be within the minute. */
  take(): Rejection | null;
  /** Takes back one that was counted and not made. */
  giveBack(): void;
}

/** Who is admitted from an address; `''` is the shop itself, which always is. */
export type AddressLimit = (ip: string) => Admission;
