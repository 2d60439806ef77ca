import { z } from 'zod';
import { name, optionalText } from '#fields/body-fields.ts';
import { changeBody, createBody } from '#fields/bodies.ts';
import { isOneAddress } from '#mails/expressions.ts';
import type { MailConfiguration } from '#mails/mail-configuration.ts';
import { isMailTopicKey, mailTopicRecord } from '#mails/mail-topics.ts';
import { listFields, pageSchema, directionOf } from './listing.contract.ts';
import { otherNames } from './management.contract.ts';

/** Mails that the shop sends (docs/rules/mails.md#configurations). */

const topic = z.string().refine(isMailTopicKey, 'must be one of the keys of GET /emails/topics');
const expression = z.string().trim().min(1).max(2000);
const optionalExpression = z
  .string()
  .trim()
  .max(2000)
  .transform((value) => (value === '' ? null : value))
  .nullable();

/** None is built in, so that every name is an unknown one. */
const attachmentAlias = z
  .string()
  .refine(() => false, 'must be an alias of GET /emails/attachments, which has none');

const fields = {
  name,
  topic,
  isEnabled: z.boolean(),
  templatePath: z.string().trim().min(1).max(200),
  toExpression: expression,
  ccExpression: optionalExpression,
  bccExpression: optionalExpression,
  fromExpression: optionalExpression,
  subjectExpression: expression.max(500),
  description: optionalText,
  attachmentAliases: z.array(attachmentAlias),
};

/** `enabled` is another name of `isEnabled`. */
const withIsEnabled = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'enabled' in body && !('isEnabled' in body)
    ? { ...body, isEnabled: body.enabled }
    : body;

const defaults = {
  isEnabled: true,
  ccExpression: null,
  bccExpression: null,
  fromExpression: null,
  description: null,
  attachmentAliases: [],
};

export const createEmail = z
  .preprocess(withIsEnabled, createBody(fields, defaults))
  .meta(otherNames('enabled'));
export const changeEmail = z.preprocess(withIsEnabled, changeBody(fields)).meta(otherNames('enabled'));

/** To whom a mail is sent to try it. */
export const testEmailBody = z.object({
  to: z.string().trim().refine(isOneAddress, 'must be one e-mail address'),
});

const flagText = z
  .string()
  .toLowerCase()
  .refine((text) => ['', 'true', 'false'].includes(text), 'must be true or false')
  .transform((text) => (text === '' ? undefined : text === 'true'));

export const emailListQuery = z.object({
  ...listFields(20),
  topic: z.string().optional(),
  isEnabled: flagText.optional(),
});
export type EmailListQuery = z.output<typeof emailListQuery>;

/** What became of a configuration's mails. */
interface EmailTotals {
  readonly totalSent: number;
  readonly totalFailed: number;
  readonly lastSentUtc: string | null;
}

export const emailResponse = (
  { dateCreated, dateUpdated, ...configuration }: MailConfiguration,
  { totalSent, totalFailed, lastSentUtc }: EmailTotals,
) => {
  const { displayName, category } = mailTopicRecord(configuration.topic);
  return {
    ...configuration,
    enabled: configuration.isEnabled,
    topicDisplayName: displayName,
    category,
    totalSent,
    totalFailed,
    lastSentUtc,
    dateCreated,
    dateModified: dateUpdated,
  };
};

export const emailSchema = z.object({
  id: z.string(),
  name: z.string(),
  topic: z.string(),
  topicDisplayName: z.string(),
  category: z.string(),
  isEnabled: z.boolean(),
  enabled: z.boolean(),
  templatePath: z.string(),
  toExpression: z.string(),
  ccExpression: z.string().nullable(),
  bccExpression: z.string().nullable(),
  fromExpression: z.string().nullable(),
  subjectExpression: z.string(),
  description: z.string().nullable(),
  attachmentAliases: z.array(z.string()),
  isDefault: z.boolean(),
  totalSent: z.int(),
  totalFailed: z.int(),
  lastSentUtc: z.string().nullable(),
  dateCreated: z.string().nullable(),
  dateModified: z.string().nullable(),
});
export const emailPageSchema = pageSchema(emailSchema);

const sorts: Readonly<Record<string, (one: MailConfiguration) => string>> = {
  name: ({ name: text }) => text.toLowerCase(),
  topic: (one) => one.topic,
};

/** The configurations that a list's query asks for, in its order; one page is cut out afterwards. */
export const selectEmails = (
  all: readonly MailConfiguration[],
  { topic: wanted, isEnabled, search, sortBy, ...direction }: EmailListQuery,
): readonly MailConfiguration[] => {
  const term = (search ?? '').toLowerCase();
  const found = all.filter(
    (one) =>
      (!wanted || one.topic === wanted) &&
      (isEnabled === undefined || one.isEnabled === isEnabled) &&
      [one.name, one.topic, one.description ?? ''].some((text) => text.toLowerCase().includes(term)),
  );
  const sort = Object.hasOwn(sorts, sortBy ?? '') ? sorts[sortBy ?? ''] : undefined;
  if (sort === undefined) return found;
  const rising = found.toSorted((one, other) =>
    sort(one) < sort(other) ? -1 : sort(one) > sort(other) ? 1 : 0,
  );
  return directionOf(direction) === 'desc' ? rising.toReversed() : rising;
};

export const emailTopicSchema = z.object({
  key: z.string(),
  displayName: z.string(),
  description: z.string(),
  category: z.string(),
});
export const emailTopicGroupSchema = z.object({ name: z.string(), topics: z.array(emailTopicSchema) });

export const emailTopicParams = z.object({ topic });

export const emailTokenSchema = z.object({
  token: z.string(),
  path: z.string(),
  type: z.string(),
  within: z.string().nullable(),
  sample: z.string().nullable(),
});

export const emailTemplateSchema = z.object({
  path: z.string(),
  isShipped: z.boolean(),
  isCustomised: z.boolean(),
});

export const emailAttachmentSchema = z.object({ alias: z.string(), displayName: z.string() });

export const emailPreviewSchema = z.object({
  success: z.boolean(),
  errorMessage: z.string().nullable(),
  to: z.array(z.string()),
  cc: z.array(z.string()),
  bcc: z.array(z.string()),
  from: z.string().nullable(),
  subject: z.string().nullable(),
  text: z.string().nullable(),
  html: z.string().nullable(),
  /** Tokens of the template that name nothing of the topic. */
  unresolvedTokens: z.array(z.string()),
});

export const emailTestSchema = z.object({
  success: z.boolean(),
  errorMessage: z.string().nullable(),
  durationMs: z.number(),
});
