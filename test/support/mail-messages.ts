import type { Recorded } from '#kernel/event.ts';
import type { MailFacts, MailMessage } from '#mails/mail-topic.ts';
import { mailedEventTypes, mailMessageOf, type MailTopicKey } from '#mails/mail-topics.ts';

/** Everything that mails may say of an event. */
export const mailMessagesOf = (
  event: Recorded,
  facts: MailFacts,
): readonly (MailMessage & { readonly topic: MailTopicKey })[] =>
  (mailedEventTypes.get(event.type) ?? []).flatMap((topic) => {
    const message = mailMessageOf(event, topic, facts);
    return message ? [{ topic, ...message }] : [];
  });
