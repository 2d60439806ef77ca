import { z } from 'zod';
import { defineEvents, type EventOf } from './define-events.ts';
import { instant, text } from './fields.ts';

/** All settings, as they are after the event. */
const settings = {
  name: text,
  topic: text,
  isEnabled: z.boolean(),
  templatePath: text,
  toExpression: text,
  ccExpression: text.nullable(),
  bccExpression: text.nullable(),
  fromExpression: text.nullable(),
  subjectExpression: text,
  description: text.nullable(),
  attachmentAliases: z.array(text),
};

/** Mails that the shop sends (docs/rules/mails.md#configurations). Stream `mailConfiguration-<id>`. */
export const mailEvents = defineEvents('mails', {
  MailConfigurationCreated: { ...settings, at: instant },
  /** Of one that is shipped, its first change is the first event of its stream. */
  MailConfigurationChanged: { ...settings, at: instant },
  MailConfigurationDeleted: { at: instant },
});
export type MailEvent = EventOf<typeof mailEvents>;
