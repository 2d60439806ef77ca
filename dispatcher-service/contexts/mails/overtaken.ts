import type { AbandonedCheckoutEvent } from '#events/abandoned-checkout.events.ts';
import type { EventNamed } from '#topics/topic.ts';
import type { EventDecoder } from '#log/decode-page.ts';
import type { MailDelivery } from '#mails/mail-delivery.ts';
import type { MailTopicKey } from '#mails/mail-topics.ts';
import type { EventStore } from '#ports/event-store.ts';
import type { MailPreferences } from '#runtime/mail-preferences.ts';
import { streamOf } from '#values/stream-name.ts';

export interface OvertakenDeps {
  readonly log: Pick<EventStore, 'eventAt' | 'readStream'>;
  readonly codec: EventDecoder;
  readonly preferences: MailPreferences;
}

/** Why a mail is not sent any more, for staff; null: it is. Errors: `EngineUnavailable`. */
export type Overtaken = (mail: MailDelivery) => Promise<string | null>;

const recoveryTopics: readonly MailTopicKey[] = [
  'checkout.abandoned.first',
  'checkout.abandoned.reminder',
  'checkout.abandoned.final',
];

/** After one of these there is nothing to win back, or nothing any more. */
const endings: readonly AbandonedCheckoutEvent['type'][] = [
  'CheckoutResumed',
  'CheckoutRecovered',
  'CheckoutConverted',
  'CheckoutRecoveryExpired',
  'AbandonedBasketLost',
];

/** As far back as a basket is looked at: what ends it is followed by little. */
const LAST_EVENTS = 20;

const isRecoveryMail = ({ topic }: MailDelivery): boolean => recoveryTopics.some((one) => one === topic);

/**
 * Looks right before a recovery mail is handed over, in the log itself, whether it is still wanted
 * (docs/rules/mail-deliveries.md#overtaken): what was bought a moment ago is not written about.
 */
export const createOvertaken =
  ({ log, codec, preferences }: OvertakenDeps): Overtaken =>
  async (mail) => {
    if (!isRecoveryMail(mail) || mail.position === null) return null;
    const stored = await log.eventAt(mail.position);
    const [due] = (
      stored ? await codec.decodeAll([stored]) : []
    ) as readonly EventNamed<'RecoveryMailRequested'>[];
    if (!due) return null;
    const { basketId, email } = due.data;
    const since = await log.readStream(due.stream, { fromRevision: due.revision + 1 });
    if (since.some(({ type }) => endings.some((one) => one === type)))
      return 'The checkout is not abandoned any more.';
    const basket = await log.readStream(streamOf.basket(basketId), {
      direction: 'backwards',
      limit: LAST_EVENTS,
    });
    if (basket.some(({ type }) => type === 'BasketCompleted' || type === 'BasketForgotten'))
      return 'The basket was bought or forgotten.';
    if (email !== null && (await preferences.isUnsubscribed(email))) return 'The recipient has unsubscribed.';
    return null;
  };
