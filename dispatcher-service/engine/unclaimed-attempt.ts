import { applyPatch } from '#ports/document-rules.ts';
import { beginAttempt, type Transition } from '#topics/delivery-steps.ts';
import type { DeliveryProgress } from '#topics/webhook-delivery.ts';

/** A row as its attempt has it, and how a step of that attempt is recorded. */
export interface UnclaimedAttempt<Row> {
  readonly row: Row;
  readonly recorded: (step: Transition) => Transition;
}

/**
 * Where no other worker can take the row: beginning and outcome are recorded at once. A kill in between leaves the row
 * as it was, and the next process makes the attempt.
 */
export const beginUnclaimed = <Row extends DeliveryProgress>(
  before: Row,
  now: number,
): UnclaimedAttempt<Row> => {
  const beginning = beginAttempt(now);
  const row = applyPatch(before, beginning);
  const { _id, status, attemptNumber } = before;
  const recorded = ({ patch }: Transition): Transition => ({
    when: { _id, status, attemptNumber },
    patch: { set: { ...beginning.set, attemptNumber: row.attemptNumber, ...patch.set } },
  });
  return { row, recorded };
};
