import type { MailEvent } from '#events/mail.events.ts';
import {
  configurationsOf,
  evolveConfigurations,
  noConfigurations,
  type RecordedConfigurations,
} from '#mails/configurations.ts';
import { ChunkedEntries } from './chunked-entries.ts';
import type { MailReference } from './reference.ts';
import type { Fold, ReferencePart } from './reference-part.ts';

/** The mails that the shop sends (docs/rules/mails.md#configurations). */
export const createMailReference = (): MailReference & ReferencePart => {
  const entries = new ChunkedEntries<RecordedConfigurations>();
  let recorded = noConfigurations;
  let all = configurationsOf(recorded);
  const use = (next: RecordedConfigurations): void => {
    recorded = next;
    all = configurationsOf(next);
    entries.set('mails', next);
  };
  const on: Fold<MailEvent> = {
    MailConfigurationCreated: (event) => use(evolveConfigurations(recorded, event)),
    MailConfigurationChanged: (event) => use(evolveConfigurations(recorded, event)),
    MailConfigurationDeleted: (event) => use(evolveConfigurations(recorded, event)),
  };
  return {
    configurations: () => all,
    configuration: (id) => all.find((one) => one.id === id),
    enabledFor: (topic) => all.filter((one) => one.isEnabled && one.topic === topic),
    name: 'mails',
    version: 1,
    on,
    entries,
    restore: (kept) => {
      for (const [, configurations] of kept) use(configurations as RecordedConfigurations);
    },
    clear: () => {
      recorded = noConfigurations;
      all = configurationsOf(recorded);
    },
  };
};
