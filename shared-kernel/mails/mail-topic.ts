import type { ShopEvent } from '#events/registry.ts';
import type { DomainEvent, Recorded } from '#kernel/event.ts';
import type { DownloadUrls } from '#values/download-link.ts';
import type { MailedInvoice } from './mailed-invoice.ts';
import type { MailedUpsell } from './order-notification.ts';

/** What an event does not say itself. */
export interface MailFacts {
  /** The invoice in whose stream the event stands, right after it; null: it stands in no invoice's. */
  readonly invoice: MailedInvoice | null;
  /** Where a download link leads, with scheme and host. */
  readonly downloadUrlOf: DownloadUrls;
  /** By which the shopper of a record comes back, with scheme and host. */
  readonly recoveryLinkOf: (issued: { readonly recordId: string; readonly issue: number }) => string;
  /** By which the reader at an address ends recovery mails. */
  readonly unsubscribeLinkOf: (email: string) => string;
  /** IANA name of the shop's time zone. */
  readonly timeZone: string;
  /** What is suggested beside a sale (docs/rules/mails.md#suggestions). Default: nothing. */
  readonly upsells?: (invoice: MailedInvoice) => readonly MailedUpsell[];
}

/** What one event has to say under a topic. */
export interface MailMessage<Notification extends object = object> {
  readonly entityType: string;
  readonly entityId: string;
  readonly notification: Notification;
}

type Say<Type extends ShopEvent['type'], Notification extends object> = (
  event: Recorded<Extract<ShopEvent, DomainEvent<Type>>>,
  facts: MailFacts,
) => MailMessage<Notification> | null;

/** A topic of mails: what a mail of it may say, and which events it tells of. */
export interface MailTopic<Notification extends object = object> {
  readonly displayName: string;
  /** When it goes out, as a sentence for staff. */
  readonly description: string;
  /** All fields, each with a value: what previews, tests and the list of tokens show. */
  readonly sample: Notification;
  /** By event type, pure. None: who knows what happened queues the mail, as no event says it. */
  readonly on: { readonly [Type in ShopEvent['type']]?: Say<Type, Notification> };
}

/** Declares a topic; its events say what its sample shows, field by field. */
export const mailTopic = <Notification extends object>(
  topic: MailTopic<Notification>,
): MailTopic<Notification> => topic;
