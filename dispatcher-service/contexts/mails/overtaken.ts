import { isActivity } from '#events/basket-activity.ts';
import type { AbandonedCheckoutEvent } from '#events/abandoned-checkout.events.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { EventNamed } from '#topics/topic.ts';
import type { EventDecoder } from '#log/decode-page.ts';
import { isWinningBack, type MailDelivery } from '#mails/mail-delivery.ts';
import type { EventStore, StoredEvent } from '#ports/event-store.ts';
import type { MailPreferences } from '#runtime/mail-preferences.ts';
import { streamOf } from '#values/stream-name.ts';
import type { IsSwitchedOff } from './switched-off.ts';

export interface OvertakenDeps {
  readonly log: Pick<EventStore, 'eventAt' | 'readStream'>;
  readonly codec: EventDecoder;
  readonly preferences: MailPreferences;
  readonly isSwitchedOff: IsSwitchedOff;
}

/** Why a mail is not sent any more, for staff; null: it is. Errors: `EngineUnavailable`. */
export type Overtaken = (mail: MailDelivery) => Promise<string | null>;

/** After one of these there is nothing to win back, or nothing any more. */
const endings: readonly AbandonedCheckoutEvent['type'][] = [
  'CheckoutResumed',
  'CheckoutRecovered',
  'CheckoutConverted',
  'CheckoutRecoveryExpired',
  'AbandonedBasketLost',
];

/** After one of these money is on its way, or there. */
const payments: readonly InvoiceEvent['type'][] = [
  'PaymentPromised',
  'PaymentPending',
  'PaymentAuthorized',
  'PaymentCaptured',
  'PurchaseOrderAccepted',
  'SaleConfirmed',
];

const isOneOf = (types: readonly string[], { type }: StoredEvent): boolean => types.includes(type);

/**
 * As far back as a stream is looked at: what ends a checkout is followed by little. Of a shopper who has done more in
 * the basket since, the record says `CheckoutResumed`.
 */
const lastOf = (log: OvertakenDeps['log'], stream: string): Promise<readonly StoredEvent[]> =>
  log.readStream(stream, { direction: 'backwards', limit: 20 });

/** A link of a mail may have been left open for long before it is paid by. */
const isBeingPaid = async (
  { log, codec }: OvertakenDeps,
  basket: readonly StoredEvent[],
  since: number,
): Promise<boolean> => {
  const placed = basket.find(({ type }) => type === 'OrderPlaced');
  const [order] = (placed ? await codec.decodeAll([placed]) : []) as readonly EventNamed<'OrderPlaced'>[];
  if (!order) return false;
  const invoice = await lastOf(log, streamOf.invoice(order.data.invoiceId));
  return invoice.some((event) => event.position > since && isOneOf(payments, event));
};

/** What has become of a basket since a mail about it was due; null: nothing. */
const basketSince = async (deps: OvertakenDeps, basketId: string, since: number): Promise<string | null> => {
  const basket = await lastOf(deps.log, streamOf.basket(basketId));
  if (basket.some((event) => isOneOf(['BasketCompleted', 'BasketForgotten'], event)))
    return 'The basket was bought or forgotten.';
  if (basket.some((event) => event.position > since && isActivity(event)))
    return 'The shopper is back in the basket.';
  return (await isBeingPaid(deps, basket, since)) ? 'The basket is being paid for.' : null;
};

/**
 * Looks right before a mail is handed over, in the log itself, whether it is still wanted
 * (docs/rules/mail-deliveries.md#overtaken): what was bought a moment ago is not written about.
 */
export const createOvertaken = (deps: OvertakenDeps): Overtaken => {
  const { log, codec, preferences, isSwitchedOff } = deps;

  const wonBack = async ({ position }: MailDelivery): Promise<string | null> => {
    const stored = position === null ? null : await log.eventAt(position);
    const [due] = (stored ? await codec.decodeAll([stored]) : []) as readonly EventNamed<
      'CheckoutAbandoned' | 'RecoveryMailRequested'
    >[];
    if (!due) return null;
    const { basketId, email } = due.data;
    const since = await log.readStream(due.stream, { fromRevision: due.revision + 1 });
    if (since.some((event) => isOneOf(endings, event))) return 'The checkout is not abandoned any more.';
    if (email !== null && (await preferences.isUnsubscribed(email))) return 'The recipient has unsubscribed.';
    return basketSince(deps, basketId, due.position);
  };

  return async (mail) => {
    if (await isSwitchedOff(mail)) return 'Mails of this configuration are switched off.';
    return isWinningBack(mail) ? wonBack(mail) : null;
  };
};
