import type { MailEvent } from '#events/mail.events.ts';
import type { Recorded } from '#kernel/event.ts';
import { evolve, type Evolution } from '#kernel/evolution.ts';
import { idOf } from '#values/stream-name.ts';
import { defaultMailConfigurations } from './default-configurations.ts';
import type { MailConfiguration } from './mail-configuration.ts';
import type { MailTopicKey } from './mail-topics.ts';

/** What the log says of mails at a position. Plain JSON; what is shipped comes on top: a release may add some. */
export interface RecordedConfigurations {
  /** In the order in which they were first saved. */
  readonly saved: readonly MailConfiguration[];
  readonly deletedIds: readonly string[];
}

export const noConfigurations: RecordedConfigurations = { saved: [], deletedIds: [] };

type Saved = Extract<MailEvent, { readonly type: 'MailConfigurationChanged' }>['data'];

const put = (recorded: RecordedConfigurations, id: string, data: Saved): RecordedConfigurations => {
  const { at, topic, ...settings } = data;
  const before = recorded.saved.find((one) => one.id === id);
  const dates = { dateCreated: before?.dateCreated ?? at, dateUpdated: at };
  const saved = { ...settings, id, topic: topic as MailTopicKey, isDefault: false, ...dates };
  return {
    ...recorded,
    saved: before ? recorded.saved.map((one) => (one.id === id ? saved : one)) : [...recorded.saved, saved],
  };
};

const on: Evolution<RecordedConfigurations, Recorded<MailEvent>> = {
  MailConfigurationCreated: (recorded, { stream, data }) => put(recorded, idOf(stream), data),
  MailConfigurationChanged: (recorded, { stream, data }) => put(recorded, idOf(stream), data),
  MailConfigurationDeleted: ({ saved, deletedIds }, { stream }) => ({
    saved: saved.filter(({ id }) => id !== idOf(stream)),
    deletedIds: [...deletedIds, idOf(stream)],
  }),
};

/** The types of the events that change configurations. */
export const configurationEventTypes: readonly string[] = Object.keys(on);

export const evolveConfigurations = (
  recorded: RecordedConfigurations,
  event: Recorded,
): RecordedConfigurations => evolve(on, recorded, event as Recorded<MailEvent>);

/** All configurations: those that are shipped, as they are now, and then those that staff have made. */
export const configurationsOf = ({
  saved,
  deletedIds,
}: RecordedConfigurations): readonly MailConfiguration[] => {
  const byId = new Map(saved.map((one) => [one.id, one]));
  const shipped = defaultMailConfigurations
    .filter(({ id }) => !deletedIds.includes(id))
    .map((one) => byId.get(one.id) ?? one);
  const shippedIds = new Set(shipped.map(({ id }) => id));
  return [...shipped, ...saved.filter(({ id }) => !shippedIds.has(id))];
};
