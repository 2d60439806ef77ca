import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { SETTINGS, settingsDecider, type SettingsCommand } from './settings.decider.ts';

/** The settings that the log holds. */
export interface StoredSettings {
  /** Null until the store has been opened. Asked of the settings' own stream. */
  currency(): Promise<string | null>;
  /** Refused with `store-currency-fixed` when everything is kept in another currency. True when it was opened now. */
  open(storeCurrencyCode: string, meta: CommandMeta): Promise<boolean>;
  /** True when something is different now. */
  change(settings: Readonly<Record<string, unknown>>, meta: CommandMeta): Promise<boolean>;
  recordImport(
    fileHash: string,
    counts: Readonly<Record<string, number>>,
    meta: CommandMeta,
  ): Promise<{ readonly position: number; readonly hasChanged: boolean }>;
}

export const createStoredSettings = ({ commands }: Pick<CommandDeps, 'commands'>): StoredSettings => {
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
    currency: async () => (await commands.load(settingsDecider, SETTINGS)).state.storeCurrencyCode,
    open: async (storeCurrencyCode, meta) =>
      (await execute({ type: 'OpenStore', storeCurrencyCode }, meta)).hasChanged,
    change: async (settings, meta) =>
      (await execute({ type: 'ChangeStoreSettings', settings }, meta)).hasChanged,
    recordImport: (fileHash, counts, meta) => execute({ type: 'RecordStoreImport', fileHash, counts }, meta),
  };
};
