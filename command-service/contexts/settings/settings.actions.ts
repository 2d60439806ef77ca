import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { ModuleDeps } from '#command/engine/module.ts';
import { refuseProblems } from '#kernel/entity.ts';
import { Rejection } from '#kernel/rejection.ts';
import { defaultStoreSettings, settingNames, type SettingName } from '#values/store-settings.ts';
import { SETTINGS, settingsStream } from './settings.stream.ts';

/** Where the value of a setting in force comes from. */
export interface SettingInForce {
  readonly key: SettingName;
  readonly value: unknown;
  readonly default: unknown;
  readonly source: 'configuration' | 'store' | 'default';
}

export interface SettingsChange {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly takenBack: readonly string[];
}

/** Says whether a setting has its value for good, and why; null where it may change. */
const fixedBy = (name: string, configured: object): string | null => {
  if (name === 'storeCurrencyCode') return 'storeCurrencyCode: the currency of a store stays as it is.';
  return name in configured ? `${name}: the configuration sets it. Change it there.` : null;
};

/** Every setting with where its value comes from: of the log, the configuration or the default. */
export const listSettings = ({
  reference,
  settings,
  config,
}: Pick<ModuleDeps, 'reference' | 'settings' | 'config'>): readonly SettingInForce[] => {
  const sourceOf = (key: SettingName): SettingInForce['source'] => {
    if (key in config.store) return 'configuration';
    const isStored = key in reference.settings.stored();
    const isOpened = key === 'storeCurrencyCode' && reference.settings.storeCurrency() !== null;
    return isStored || isOpened ? 'store' : 'default';
  };
  const values = settings();
  return settingNames.map((key) => ({
    key,
    value: values[key],
    default: defaultStoreSettings[key],
    source: sourceOf(key),
  }));
};

/** Settings of the store as staff see and change them (docs/rules/settings.md#changing). */
export const createSettingsActions = ({
  streams,
  reference,
  settings,
  config,
  reach,
}: Pick<ModuleDeps, 'streams' | 'reference' | 'settings' | 'config' | 'reach'>) => {
  const problems = ({ shippingTaxGroupId: groupId }: Readonly<Record<string, unknown>>): readonly string[] =>
    typeof groupId !== 'string' || reference.entities.has('taxGroup', groupId.toLowerCase())
      ? []
      : ['shippingTaxGroupId: must be an existing tax group'];
  return {
    inForce: () => listSettings({ reference, settings, config }),
    /** What is wrong with settings beside what each of them may be. */
    problems,
    /** All of it or nothing; in force once it resolves. Errors: `invalid-request`, `setting-fixed`. */
    change: async (change: SettingsChange, meta: CommandMeta): Promise<{ readonly position: number }> => {
      refuseProblems(problems(change.settings));
      const fixed = [...Object.keys(change.settings), ...change.takenBack].flatMap(
        (name) => fixedBy(name, config.store) ?? [],
      );
      if (fixed.length > 0) throw new Rejection('setting-fixed', fixed.join(' '));
      const command = { type: 'ChangeStoreSettings', ...change } as const;
      const { position } = await streams.send(settingsStream, SETTINGS, command, meta);
      await reach(position);
      return { position };
    },
  };
};

export type SettingsActions = ReturnType<typeof createSettingsActions>;
