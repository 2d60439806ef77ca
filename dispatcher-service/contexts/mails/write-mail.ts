import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { Recorded } from '#kernel/event.ts';
import type { EventDecoder } from '#log/decode-page.ts';
import { hasRecoveryLink, isWinningBack, type MailContent, type MailDelivery } from '#mails/mail-delivery.ts';
import { recipientsOf } from '#mails/expressions.ts';
import type { MailData } from '#mails/look-up.ts';
import type { MailFacts } from '#mails/mail-topic.ts';
import { mailMessageOf } from '#mails/mail-topics.ts';
import { mailedInvoice, type MailedInvoice } from '#mails/mailed-invoice.ts';
import { renderMail } from '#mails/render-mail.ts';
import type { ConfigFacts, StoreFacts } from '#mails/store-facts.ts';
import { TemplateError } from '#mails/template.ts';
import { MAX_PAGE, type EventStore } from '#ports/event-store.ts';
import type { MailTemplates } from '#runtime/mail-templates.ts';
import type { EventNamed } from '#topics/topic.ts';
import { categoryOf } from '#values/stream-name.ts';
import type { RecentInvoices } from './recent-invoices.ts';

export interface WriteMailDeps {
  readonly log: Pick<EventStore, 'eventAt' | 'readStream'>;
  readonly codec: EventDecoder;
  /** Asked before the log. Default: nothing is at hand. */
  readonly recent?: Pick<RecentInvoices, 'upTo'>;
  readonly templates: Pick<MailTemplates, 'load'>;
  readonly store: () => StoreFacts;
  readonly config: () => ConfigFacts;
  /** What an event does not say itself, but for its invoice. */
  readonly facts: () => Omit<MailFacts, 'invoice'>;
}

/** What a mail tells of, and whom. */
export interface Noticed {
  readonly notification: object;
  readonly entityType: string | null;
  readonly entityId: string | null;
}

/** What became of a mail that was to be written. */
export type Written =
  | { readonly kind: 'mail'; readonly content: MailContent }
  /** It can never be sent as it is. The reason names no person. */
  | { readonly kind: 'failed'; readonly reason: string };

export interface MailWriter {
  /** What the event of a mail has to say under its topic; null: nothing. Errors: `EngineUnavailable`. */
  notice(mail: MailDelivery): Promise<Noticed | null>;
  /** Errors: `EngineUnavailable`. */
  write(mail: MailDelivery, notification: object): Promise<Written>;
}

const streamUpTo = async ({ log, codec }: WriteMailDeps, at: Recorded): Promise<readonly Recorded[]> => {
  const events: Recorded[] = [];
  for (let fromRevision = 0; fromRevision <= at.revision; fromRevision += MAX_PAGE) {
    const limit = Math.min(MAX_PAGE, at.revision - fromRevision + 1);
    events.push(...(await codec.decodeAll(await log.readStream(at.stream, { fromRevision, limit }))));
  }
  return events;
};

/** The event at a position, with those before it where it is an invoice's; none where the log has none there. */
const eventsUpTo = async (deps: WriteMailDeps, position: number): Promise<readonly Recorded[]> => {
  const atHand = (await deps.recent?.upTo(position)) ?? null;
  if (atHand !== null) return atHand;
  const stored = await deps.log.eventAt(position);
  const [event] = stored ? await deps.codec.decodeAll([stored]) : [];
  if (!event) return [];
  return isOfInvoice(event) ? streamUpTo(deps, event) : [event];
};

const isOfInvoice = ({ stream }: Recorded): boolean => categoryOf(stream) === 'invoice';

/** An invoice as it was right after the last of its events; null where they are none's. */
const invoiceAfter = (events: readonly Recorded[]): MailedInvoice | null =>
  events.every(isOfInvoice) ? mailedInvoice(events as readonly Recorded<InvoiceEvent>[]) : null;

type Issued = EventNamed<'CheckoutAbandoned' | 'RecoveryLinkIssued'>;

/** The link in a mail is the one that holds now: those before it are dead. */
const withNewestLink = async ({ log, codec }: WriteMailDeps, event: Recorded): Promise<Recorded> => {
  const since = await log.readStream(event.stream, { fromRevision: event.revision + 1 });
  const last = since.findLast(({ type }) => type === 'CheckoutAbandoned' || type === 'RecoveryLinkIssued');
  const [issued] = (last ? await codec.decodeAll([last]) : []) as readonly Issued[];
  return issued ? { ...event, data: { ...(event.data as object), link: issued.data.link } } : event;
};

/** By which a mailbox offers to end such mails, with one click too (RFC 8058), where a mail says how. */
const headersOf = (mail: MailDelivery, notification: object): MailContent['headers'] => {
  const isOffered = isWinningBack(mail) && 'unsubscribeLink' in notification;
  const link = isOffered ? notification.unsubscribeLink : null;
  if (typeof link !== 'string' || !/^https?:\/\/[^\s<>]+$/.test(link)) return {};
  return { 'List-Unsubscribe': `<${link}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
};

/** A sale without a customer: nobody reads what is for its buyer alone. One whose buyer is forgotten has had one. */
const hasNoBuyer = (invoice: MailedInvoice | null): boolean =>
  invoice?.content.customerId === null && invoice.email === null;

const hasNoRecipient = ({ settings }: MailDelivery, data: MailData): boolean => {
  const to = settings === null ? null : recipientsOf(settings.toExpression, data);
  return to?.kind === 'recipients' && to.addresses.length === 0;
};

/** Writes mails from what the log says of their events, by the settings that stood when they were queued. */
export const createMailWriter = (deps: WriteMailDeps): MailWriter => {
  const { templates, store, config, facts } = deps;
  return {
    notice: async (mail) => {
      const { position, topic } = mail;
      const events = position === null ? [] : await eventsUpTo(deps, position);
      const recorded = events.at(-1);
      if (!recorded) return null;
      const event = hasRecoveryLink(mail) ? await withNewestLink(deps, recorded) : recorded;
      const invoice = invoiceAfter(events);
      const said = mailMessageOf(event, topic, { ...facts(), invoice });
      if (!said) return null;
      const data = { notification: said.notification, store: store(), config: config() };
      return hasNoBuyer(invoice) && hasNoRecipient(mail, data) ? null : said;
    },
    write: async (row, notification) => {
      const { settings } = row;
      if (settings === null) return { kind: 'failed', reason: 'no configuration says how to write it' };
      try {
        const template = await templates.load(settings.templatePath);
        const mail = renderMail(settings, template, { notification, store: store(), config: config() });
        if (mail.kind === 'failed') return { kind: 'failed', reason: `${mail.field}: ${mail.reason}` };
        const { kind: _, unresolved: __, ...content } = mail;
        return { kind: 'mail', content: { ...content, headers: headersOf(row, notification) } };
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error;
        return { kind: 'failed', reason: `template: ${error.message}` };
      }
    },
  };
};
