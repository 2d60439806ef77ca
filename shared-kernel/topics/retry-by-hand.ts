import { Rejection } from '#kernel/rejection.ts';
import { sendAgain, type Transition } from './delivery-steps.ts';
import { attemptsSoFar } from './past-attempts.ts';
import type { DeliveryStatus, HttpDelivery, Readable } from './webhook-delivery.ts';

const retriable: readonly DeliveryStatus[] = ['Retrying', 'Abandoned', 'Failed'];

/**
 * Sends a failed delivery again at once, keeping its past attempts. Throws `invalid-request` for one that is under way
 * or has arrived, and where nothing is left to send.
 */
export const retryByHand = (delivery: Readable<HttpDelivery>, now: number, retriedBy: string): Transition => {
  const { status, requestBody } = delivery;
  if (!retriable.includes(status))
    throw new Rejection(
      'invalid-request',
      `Only a failed delivery can be sent again; this one is ${status}.`,
    );
  if (requestBody === null)
    throw new Rejection(
      'invalid-request',
      'The person this delivery is about has been forgotten: there is nothing left to send.',
    );
  const { when, patch } = sendAgain(delivery, now, retriedBy);
  return { when, patch: { set: { ...patch.set, attempts: attemptsSoFar(delivery) } } };
};

/** A worker has taken it meanwhile. */
export const beingSent = (): Rejection =>
  new Rejection('conflict', 'This delivery is being sent just now. Look at it again shortly.');
