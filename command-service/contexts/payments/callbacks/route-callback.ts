import type { CommandMeta } from '#command/engine/command-engine.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { PaymentCallback } from '#ports/payment-callback.ts';
import type { ParkedCallbacks } from './parked-callbacks.ts';
import {
  createFinder,
  referencesOf,
  type CallbackOutcome,
  type Handler,
  type RouteCallbackDeps,
  type Routed,
} from './handle-callback.ts';
import { disputeOpened, disputeResolved } from './handle-dispute.ts';
import { authorized, completed, notPaid, setUp, suspected } from './handle-payment.ts';
import { refunded, refundFailed } from './handle-refund.ts';

/** Brings an event to where it belongs. Errors: what keeps it from being recorded now, and not for ever. */
export type RouteCallback = (
  provider: string,
  event: PaymentCallback,
  meta: CommandMeta,
) => Promise<CallbackOutcome>;

const handlers: Readonly<Record<PaymentCallback['type'], Handler>> = {
  PaymentCompleted: completed,
  PaymentAuthorized: authorized,
  PaymentSuspected: suspected,
  SetupCompleted: setUp,
  PaymentFailed: notPaid,
  PaymentCancelled: notPaid,
  RefundCompleted: refunded,
  RefundFailed: refundFailed,
  DisputeOpened: disputeOpened,
  DisputeResolved: disputeResolved,
  Unknown: () => Promise.resolve('ignored'),
};

/** Money that the shop cannot place is the operator's business. */
const toBeLookedAt: ReadonlySet<Routed> = new Set([
  'owed-back',
  'refund-failed',
  'other-currency',
  'contradicted',
  'incomplete',
  'unmatched',
]);

/** Money that is on no invoice, whatever the provider says of it. */
const isWithoutOrder: ReadonlySet<Routed> = new Set(['unmatched', 'other-currency']);

/** Where each event of a provider goes, without what is early (docs/rules/payment-callbacks.md#events). */
export const createCallbackRouting = (deps: RouteCallbackDeps) => {
  const find = createFinder(deps);
  return async (alias: string, event: PaymentCallback, meta: CommandMeta): Promise<Routed> => {
    const outcome = await handlers[event.type](deps, find, { alias, event, meta });
    if (event.type === 'PaymentCompleted' && isWithoutOrder.has(outcome))
      await deps.unmatched.receive(alias, event, meta);
    if (toBeLookedAt.has(outcome)) {
      const { eventId, type, transactionId, invoiceId } = event;
      deps.log.warn(
        { provider: alias, eventId, type, transactionId, invoiceId, outcome },
        'a callback to look at',
      );
    }
    return outcome;
  };
};

/** What an early event may wait for. */
const awaited: ReadonlySet<PaymentCallback['type']> = new Set([
  'PaymentCompleted',
  'PaymentAuthorized',
  'RefundCompleted',
  'DisputeOpened',
]);

/** Routes an event; what is early is parked, and applied once its payment is there. */
export const createCallbackRouter =
  (
    route: ReturnType<typeof createCallbackRouting>,
    parked: Pick<ParkedCallbacks, 'park' | 'applyFor'>,
  ): RouteCallback =>
  async (alias, event, meta) => {
    const outcome = await route(alias, event, meta).catch((error: unknown) => {
      // It may go better the next time: the provider is to send it again.
      if (error instanceof Rejection && ['conflict', 'payment-unknown'].includes(error.code))
        throw new Rejection('too-busy', 'This invoice is busy. Send the event again.');
      throw error;
    });
    const [waitsFor = ''] = referencesOf(event);
    if (outcome !== 'early') {
      if (awaited.has(event.type))
        for (const reference of referencesOf(event)) await parked.applyFor(alias, reference, meta);
      return outcome;
    }
    await parked.park(alias, event, waitsFor);
    // Its payment may have come while it was being parked.
    await parked.applyFor(alias, waitsFor, meta);
    return 'parked';
  };
