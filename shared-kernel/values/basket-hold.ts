import { defined } from '#kernel/defined.ts';
import { Rejection } from '#kernel/rejection.ts';

/** A placement that asks for something in its basket's name, and by which right. */
export interface Holder {
  readonly basketId: string;
  readonly placementId: string;
  /**
   * Grows along the basket's stream with every placement, and whenever another process takes over one that stood
   * still: a driver with an earlier turn comes late. Absent from what older releases wrote.
   */
  readonly turn?: number | undefined;
}

/** Who had something last. `replaced` are earlier placements: what they still send is out of date. */
export interface Held {
  readonly placementId: string;
  readonly turn?: number | undefined;
  readonly replaced: readonly string[];
}

/** Without a turn of its own, a placement is later only than what has none either. */
export const comesLate = (asking: Omit<Holder, 'basketId'>, held: Held): boolean => {
  if (held.replaced.includes(asking.placementId)) return true;
  if (asking.turn !== undefined) return asking.turn < (held.turn ?? 0);
  return asking.placementId !== held.placementId && held.turn !== undefined;
};

/**
 * After one more has taken it over, or has given it back. Who gives back without a turn, for an invoice that expired,
 * leaves the placement's own standing: its late driver reserves nothing again.
 */
export const takenBy = (asking: Omit<Holder, 'basketId'>, before: Held | undefined): Held => {
  const { placementId } = asking;
  const isNew = before !== undefined && before.placementId !== placementId;
  const replaced = isNew ? [...before.replaced, before.placementId] : (before?.replaced ?? []);
  const turn = asking.turn ?? (isNew ? undefined : before?.turn);
  return { placementId, replaced, ...defined({ turn }) };
};

/** Its driver was taken for dead: another one, or a later placement of the basket, has come first. */
export const takenOver = (): Rejection =>
  new Rejection('order-being-placed', 'This order has been taken over meanwhile. Try again in a moment.');
