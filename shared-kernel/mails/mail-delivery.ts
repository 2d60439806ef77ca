import { isoInstant } from '#kernel/clock.ts';
import type { MailConfiguration, MailSettings } from './mail-configuration.ts';
import { untried, type DeliveryProgress } from '#topics/webhook-delivery.ts';

/** Collection of the state store. The dispatcher sends what is in it; other services queue mails there. */
export const mailsCollection = 'mailDeliveries';

/** Under which the dispatcher keeps how far the log has been turned into mails. */
export const mailFollower = 'mail-deliveries';

/** Wake-ups on the bus: key the queue of the mail, value its id. */
export const mailsOnBus = { topic: 'mail-deliveries', partitions: 8 } as const;

/** What a mail says, and to whom. Without a recipient it is for no one, and is not sent. */
export interface MailContent {
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  /** Null: the shop's own. */
  readonly from: string | null;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Beside those that every mail has. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What a mail that is not written yet tells of, where no event says it; null: it is for no one. */
export interface UnwrittenMail {
  readonly notification: object | null;
}

/** What a row keeps sealed, as JSON. */
export type KeptMail = MailContent | UnwrittenMail;

export const isUnwritten = (kept: KeptMail): kept is UnwrittenMail => 'notification' in kept;

/**
 * One mail, with its last attempt (docs/rules/mail-deliveries.md#log-of-mails). Instants are ISO texts of the shop's
 * clock. Its steps are those of a webhook's delivery; it ends as Succeeded or Failed, or as Abandoned where what it was
 * to say has been overtaken.
 */
export interface MailDelivery extends DeliveryProgress {
  /** Null: one of the shop's own, as about an account. */
  readonly configurationId: string | null;
  readonly topic: string | null;
  readonly entityType: string | null;
  readonly entityId: string | null;
  /** With which it is written, as it was set when it was queued; null: it comes written. */
  readonly settings: MailSettings | null;
  /** The event that it tells of; null: none does. */
  readonly position: number | null;
  /** `KeptMail`; the same from the first attempt on. Null until then where an event says it all. */
  readonly sealed: string | null;
  /** It may open an account: nothing of it stays once it is sent or given up. */
  readonly isSecret: boolean;
  /** The data subject whom it is about; null: no person, or one of the shop's own. */
  readonly subject: string | null;
  /** Who had it sent again last; absent where nobody had. */
  readonly retriedBy?: string;
}

/** A mail that has just been decided upon. */
type QueuedMail = Pick<
  MailDelivery,
  '_id' | 'configurationId' | 'topic' | 'settings' | 'position' | 'sealed' | 'isSecret' | 'subject'
>;

/** The row of a new mail, due at once. `now`: the shop's time, ms. */
const newMail = (queued: QueuedMail, now: number): MailDelivery => ({
  ...queued,
  entityType: null,
  entityId: null,
  ...untried(isoInstant(now)),
});

/** One of the shop's own, which comes written. */
export const ownMail = (_id: string, sealed: string | null, now: number): MailDelivery => {
  const none = { configurationId: null, topic: null, settings: null, position: null, subject: null };
  return newMail({ _id, ...none, sealed, isSecret: true }, now);
};

/** One that a configuration has written. */
export const configuredMail = (
  _id: string,
  { id: configurationId, isDefault: _, dateCreated: __, dateUpdated: ___, ...settings }: MailConfiguration,
  from: Pick<MailDelivery, 'position' | 'sealed' | 'isSecret' | 'subject'>,
  now: number,
): MailDelivery => newMail({ _id, configurationId, topic: settings.topic, settings, ...from }, now);

/** It carries a link that leads back to a basket, as long as no newer one was made. */
export const hasRecoveryLink = ({ topic }: Pick<MailDelivery, 'topic'>): boolean =>
  topic === 'checkout.abandoned' || topic?.startsWith('checkout.abandoned.') === true;

/** It is to win its reader back, if they still want it to. One to fixed addresses tells staff what has happened. */
export const isWinningBack = (mail: Pick<MailDelivery, 'topic' | 'settings'>): boolean => {
  const { toExpression, ccExpression, bccExpression } = mail.settings ?? { toExpression: '' };
  const recipients = [toExpression, ccExpression, bccExpression];
  return hasRecoveryLink(mail) && recipients.some((expression) => expression?.includes('{{') === true);
};

/** The data subject to whom a mail goes, at whatever address: staff may have corrected it. Null: it goes to others. */
export const ownerOfMail = ({
  settings,
  subject,
}: Pick<MailDelivery, 'settings' | 'subject'>): string | null => {
  if (!settings) return null;
  const { toExpression, ccExpression, bccExpression } = settings;
  const recipients = [toExpression, ccExpression ?? '', bccExpression ?? ''].join();
  return /customerEmail/i.test(recipients) ? subject : null;
};

/** Mails of one configuration wait in one queue, so that many of them hold back none of another. */
const OWN_QUEUE = 'own';

export const queueOfMail = ({ configurationId }: Pick<MailDelivery, 'configurationId'>): string =>
  configurationId ?? OWN_QUEUE;

export const configurationOfQueue = (queue: string): string | null => (queue === OWN_QUEUE ? null : queue);
