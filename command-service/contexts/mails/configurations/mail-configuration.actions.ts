import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { isoInstant } from '#kernel/clock.ts';
import { notFound } from '#kernel/entity.ts';
import { defaultMailConfiguration } from '#mails/default-configurations.ts';
import type { MailConfiguration, MailSettings } from '#mails/mail-configuration.ts';
import { totalsOf, type MailTotals } from '#runtime/mail-totals.ts';
import type { MailTemplates } from '#runtime/mail-templates.ts';
import type { MailConfigurationCommand } from './mail-configuration.commands.ts';
import { mailConfigurationDecider, type MailConfigurationState } from './mail-configuration.decider.ts';

export interface SavedMailConfiguration {
  readonly configuration: MailConfiguration;
  readonly totals: MailTotals;
  readonly position: number;
}

export interface MailConfigurationActionDeps extends Pick<CommandDeps, 'commands' | 'clock' | 'stateStore'> {
  readonly templates: Pick<MailTemplates, 'problemOf'>;
}

const settingsOf = (configuration: MailConfiguration): MailSettings => {
  const { id: _, isDefault: __, dateCreated: ___, dateUpdated: ____, ...settings } = configuration;
  return settings;
};

const configurationOf = (id: string, state: MailConfigurationState): MailConfiguration => {
  if (state.status === 'recorded') {
    const { settings, dateCreated, dateUpdated } = state;
    return { ...settings, id, isDefault: false, dateCreated, dateUpdated };
  }
  const shipped = state.status === 'unrecorded' ? defaultMailConfiguration(id) : null;
  if (shipped === null) throw notFound('mail');
  return shipped;
};

/** Errors: Rejections `invalid-request`, `entity-not-found`, `already-exists`. */
export const createMailConfigurationActions = ({
  commands,
  clock,
  stateStore,
  templates,
}: MailConfigurationActionDeps) => {
  const execute = (
    id: string,
    command: MailConfigurationCommand,
    templateProblem: string | null,
    meta: CommandMeta,
  ) => {
    const shipped = defaultMailConfiguration(id);
    return commands.execute({
      decider: mailConfigurationDecider,
      id,
      command,
      context: () => ({
        at: isoInstant(clock.now()),
        shipped: shipped && settingsOf(shipped),
        templateProblem,
      }),
      meta,
    });
  };

  const save = async (
    id: string,
    command: MailConfigurationCommand,
    templatePath: string | undefined,
    meta: CommandMeta,
  ): Promise<SavedMailConfiguration> => {
    const problem = templatePath === undefined ? null : await templates.problemOf(templatePath);
    const { state, position } = await execute(id, command, problem, meta);
    const totals = await totalsOf(stateStore, id);
    return { configuration: configurationOf(id, state), totals, position };
  };

  return {
    create: (id: string, settings: MailSettings, meta: CommandMeta) =>
      save(id, { type: 'CreateMailConfiguration', settings }, settings.templatePath, meta),
    change: (id: string, changes: Partial<MailSettings>, meta: CommandMeta) =>
      save(id, { type: 'ChangeMailConfiguration', changes }, changes.templatePath, meta),
    /** Returns the position. */
    remove: async (id: string, meta: CommandMeta): Promise<number> =>
      (await execute(id, { type: 'DeleteMailConfiguration' }, null, meta)).position,
  };
};

export type MailConfigurationActions = ReturnType<typeof createMailConfigurationActions>;
