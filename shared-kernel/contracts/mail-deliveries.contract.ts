import { z } from 'zod';
import type { MailContent, MailDelivery } from '#mails/mail-delivery.ts';
import { deliveryStatuses } from '#topics/webhook-delivery.ts';
import { pageSchema } from './listing.contract.ts';

/** A mail in the log of deliveries, as lists show it. */
export const mailListItem = (mail: MailDelivery) => ({
  id: mail._id,
  deliveryType: 1,
  deliveryTypeDisplay: 'Email',
  configurationId: mail.configurationId,
  subscriptionId: null,
  topic: mail.topic,
  entityId: mail.entityId,
  entityType: mail.entityType,
  status: mail.status,
  statusValue: deliveryStatuses[mail.status],
  statusDisplay: mail.status,
  responseStatusCode: null,
  errorMessage: mail.errorMessage,
  dateCreated: mail.dateCreated,
  dateCompleted: mail.dateCompleted,
  dateSent: mail.dateSent,
  nextRetryUtc: mail.nextRetryUtc,
  durationMs: mail.durationMs,
  attemptNumber: mail.attemptNumber,
});

/** With what it says; `content` is null while it is not written, and once it is gone. */
export const mailDetail = (mail: MailDelivery, content: MailContent | null) => ({
  ...mailListItem(mail),
  retriedBy: mail.retriedBy ?? null,
  emailRecipients: content && [...content.to, ...content.cc, ...content.bcc],
  emailFrom: content && content.from,
  emailSubject: content && content.subject,
  emailBody: content && content.html,
  emailText: content && content.text,
});

const listItemShape = {
  id: z.string(),
  deliveryType: z.int(),
  deliveryTypeDisplay: z.string(),
  configurationId: z.string().nullable(),
  subscriptionId: z.null(),
  topic: z.string().nullable(),
  entityId: z.string().nullable(),
  entityType: z.string().nullable(),
  status: z.string(),
  statusValue: z.int(),
  statusDisplay: z.string(),
  responseStatusCode: z.null(),
  errorMessage: z.string().nullable(),
  dateCreated: z.string(),
  dateCompleted: z.string().nullable(),
  dateSent: z.string().nullable(),
  nextRetryUtc: z.string().nullable(),
  durationMs: z.number(),
  attemptNumber: z.int(),
};

export const mailListItemSchema = z.object(listItemShape);
export const mailPageSchema = pageSchema(mailListItemSchema);
export const mailDetailSchema = z.object({
  ...listItemShape,
  /** Who had it sent again last. */
  retriedBy: z.string().nullable(),
  emailRecipients: z.array(z.string()).nullable(),
  emailFrom: z.string().nullable(),
  emailSubject: z.string().nullable(),
  emailBody: z.string().nullable(),
  emailText: z.string().nullable(),
});
