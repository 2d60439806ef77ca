import { mailEvents, type MailEvent } from '#events/mail.events.ts';
import type { Decider } from '#kernel/decider.ts';
import { notFound, refuseProblems } from '#kernel/entity.ts';
import type { Evolution } from '#kernel/evolution.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isSameJson } from '#kernel/same-json.ts';
import type { MailSettings } from '#mails/mail-configuration.ts';
import type { MailTopicKey } from '#mails/mail-topics.ts';
import { expressionProblems } from '#mails/setting-problems.ts';
import type { MailConfigurationCommand } from './mail-configuration.commands.ts';

const { MailConfigurationCreated, MailConfigurationChanged, MailConfigurationDeleted } = mailEvents.create;

export type MailConfigurationState =
  /** Nothing is recorded of it: it may be one that is shipped. */
  | { readonly status: 'unrecorded' }
  | {
      readonly status: 'recorded';
      readonly settings: MailSettings;
      readonly dateCreated: string;
      readonly dateUpdated: string;
    }
  | { readonly status: 'deleted' };

export interface MailConfigurationContext {
  readonly at: string;
  /** The settings that are shipped under this id; null: none are. */
  readonly shipped: MailSettings | null;
  /** What is wrong with a template, as its caller reads it; null: nothing is, or no template was given. */
  readonly templateProblem: string | null;
}

const settingsNow = (
  state: MailConfigurationState,
  { shipped }: MailConfigurationContext,
): MailSettings | null => {
  if (state.status === 'recorded') return state.settings;
  return state.status === 'unrecorded' ? shipped : null;
};

const refuseUnsound = (
  settings: MailSettings,
  { templateProblem }: MailConfigurationContext,
  further: readonly string[] = [],
): void =>
  refuseProblems([
    ...further,
    ...(templateProblem === null ? [] : [`templatePath: ${templateProblem}`]),
    ...expressionProblems(settings),
  ]);

const decide = (
  state: MailConfigurationState,
  command: MailConfigurationCommand,
  context: MailConfigurationContext,
): readonly MailEvent[] => {
  const { at } = context;
  const before = settingsNow(state, context);
  switch (command.type) {
    case 'CreateMailConfiguration': {
      const { settings } = command;
      if (before !== null) {
        if (isSameJson(before, settings)) return [];
        throw new Rejection('already-exists', 'This mail already exists.');
      }
      refuseUnsound(settings, context);
      return [
        MailConfigurationCreated({ ...settings, attachmentAliases: [...settings.attachmentAliases], at }),
      ];
    }
    case 'ChangeMailConfiguration': {
      if (before === null) throw notFound('mail');
      const { topic = before.topic } = command.changes;
      const settings = { ...before, ...command.changes, topic: before.topic };
      const stays = topic === before.topic ? [] : [`topic: must stay ${before.topic}; create another mail`];
      refuseUnsound(settings, context, stays);
      if (isSameJson(before, settings)) return [];
      return [
        MailConfigurationChanged({ ...settings, attachmentAliases: [...settings.attachmentAliases], at }),
      ];
    }
    case 'DeleteMailConfiguration':
      if (before === null) throw notFound('mail');
      return [MailConfigurationDeleted({ at })];
  }
};

type Saved = Extract<MailEvent, { readonly type: 'MailConfigurationChanged' }>['data'];

const saved = (state: MailConfigurationState, { at, topic, ...settings }: Saved): MailConfigurationState => ({
  status: 'recorded',
  settings: { ...settings, topic: topic as MailTopicKey },
  dateCreated: state.status === 'recorded' ? state.dateCreated : at,
  dateUpdated: at,
});

const on: Evolution<MailConfigurationState, MailEvent> = {
  MailConfigurationCreated: (state, { data }) => saved(state, data),
  MailConfigurationChanged: (state, { data }) => saved(state, data),
  MailConfigurationDeleted: () => ({ status: 'deleted' }),
};

/** Mails that the shop sends (docs/rules/mails.md#configurations). */
export const mailConfigurationDecider: Decider<
  MailConfigurationState,
  MailConfigurationCommand,
  MailEvent,
  MailConfigurationContext
> = {
  category: 'mailConfiguration',
  initial: () => ({ status: 'unrecorded' }),
  decide,
  on,
  remembersCommands: true,
};
