import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { SETTINGS, settingsDecider, type SettingsCommand } from './settings.decider.ts';

/** The settings that the log holds. */
export const createSettingsActions = ({ commands }: Pick<CommandDeps, 'commands'>) => {
  const execute = async (command: SettingsCommand, meta: CommandMeta) => {
    const executed = await commands.execute({
      decider: settingsDecider,
      id: SETTINGS,
      command,
      context: () => undefined,
      meta,
    });
    return { position: executed.position, hasChanged: executed.events.length > 0 };
  };
  return {
    /** Null until the store has been opened. Asked of the settings' own stream. */
    currency: async (): Promise<string | null> =>
      (await commands.load(settingsDecider, SETTINGS)).state.storeCurrencyCode,
    /** True when it was opened now. Errors: `store-currency-fixed` when everything is kept in another currency. */
    open: async (storeCurrencyCode: string, meta: CommandMeta): Promise<boolean> =>
      (await execute({ type: 'OpenStore', storeCurrencyCode }, meta)).hasChanged,
    /** True when something is different now. */
    change: async (settings: Readonly<Record<string, unknown>>, meta: CommandMeta): Promise<boolean> =>
      (await execute({ type: 'ChangeStoreSettings', settings }, meta)).hasChanged,
    recordImport: (fileHash: string, counts: Readonly<Record<string, number>>, meta: CommandMeta) =>
      execute({ type: 'RecordStoreImport', fileHash, counts }, meta),
  };
};

export type SettingsActions = ReturnType<typeof createSettingsActions>;
