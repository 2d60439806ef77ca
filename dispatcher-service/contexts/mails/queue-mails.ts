import type { Recorded } from '#kernel/event.ts';
import { derivedId } from '#kernel/ids.ts';
import {
  configurationEventTypes,
  configurationsOf,
  evolveConfigurations,
  noConfigurations,
  type RecordedConfigurations,
} from '#mails/configurations.ts';
import type { MailConfiguration } from '#mails/mail-configuration.ts';
import { configuredMail, mailFollower, mailsCollection } from '#mails/mail-delivery.ts';
import { mailedEventTypes, type MailTopicKey } from '#mails/mail-topics.ts';
import type { LogMapping } from '../../engine/follow-log.ts';
import { timedId } from '../../engine/timed-id.ts';

type ByTopic = ReadonlyMap<MailTopicKey, readonly MailConfiguration[]>;

const enabledByTopic = new WeakMap<RecordedConfigurations, ByTopic>();

const enabled = (recorded: RecordedConfigurations): ByTopic => {
  const known = enabledByTopic.get(recorded);
  if (known) return known;
  const all = configurationsOf(recorded).filter(({ isEnabled }) => isEnabled);
  const byTopic = Map.groupBy(all, ({ topic }) => topic);
  enabledByTopic.set(recorded, byTopic);
  return byTopic;
};

const enabledFor = (recorded: RecordedConfigurations, { type }: Recorded): readonly MailConfiguration[] =>
  (mailedEventTypes.get(type) ?? []).flatMap((topic) => enabled(recorded).get(topic) ?? []);

/** One mail of a configuration for an event, however often the log is read. */
export const mailIdOf = (configurationId: string, eventId: string): string =>
  timedId(eventId, derivedId('mail', configurationId, eventId));

/**
 * One mail for each configuration that is enabled when something happens that it is about (docs/rules/mails.md#topics).
 * The row names the event and says no more: it is written when it is first tried. What was before the first mail of the
 * shop, or before a configuration was made or enabled, is told by none.
 */
export const queueMails: LogMapping<RecordedConfigurations> = {
  name: mailFollower,
  initial: noConfigurations,
  eventTypes: (recorded) => {
    const told = [...mailedEventTypes].filter(([, topics]) =>
      topics.some((topic) => enabled(recorded).has(topic)),
    );
    return new Set([...configurationEventTypes, ...told.map(([type]) => type)]);
  },
  evolve: evolveConfigurations,
  outgoing: (recorded, event, { now }) =>
    enabledFor(recorded, event).map((configuration) => {
      const { position, metadata } = event;
      const id = mailIdOf(configuration.id, event.id);
      const from = { position, sealed: null, isSecret: false, subject: metadata.subject ?? null };
      const put = configuredMail(id, configuration, from, now);
      return {
        writes: [{ collection: mailsCollection, put, position }],
        messages: [{ key: configuration.id, value: id }],
      };
    }),
};
