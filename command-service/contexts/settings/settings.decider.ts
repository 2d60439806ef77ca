import { settingsEvents, type SettingsEvent } from '#events/settings.events.ts';
import type { Decider } from '#kernel/decider.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isSameJson } from '#kernel/same-json.ts';
import type { ChangeStoreSettings, OpenStore, SettingsCommand } from './settings.commands.ts';

type Settings = Readonly<Record<string, unknown>>;

export interface SettingsState {
  readonly storeCurrencyCode: string | null;
  readonly settings: Settings;
  /** Of the last file that was imported. */
  readonly fileHash: string | null;
}

const { StoreImported, StoreOpened, StoreSettingsChanged } = settingsEvents.create;

const open = (
  { storeCurrencyCode: current }: SettingsState,
  { storeCurrencyCode }: OpenStore,
): SettingsEvent[] => {
  if (current === null) return [StoreOpened({ storeCurrencyCode })];
  if (current === storeCurrencyCode) return [];
  throw new Rejection(
    'store-currency-fixed',
    `The store's currency is ${current} and cannot become ${storeCurrencyCode}.`,
  );
};

const change = (
  state: SettingsState,
  { settings, takenBack: wanted = [] }: ChangeStoreSettings,
): SettingsEvent[] => {
  const changed = Object.entries(settings).filter(
    ([name, value]) => !isSameJson(state.settings[name], value),
  );
  const takenBack = wanted.filter((name) => name in state.settings);
  if (changed.length === 0 && takenBack.length === 0) return [];
  const given = Object.fromEntries(changed);
  return [
    StoreSettingsChanged(takenBack.length === 0 ? { settings: given } : { settings: given, takenBack }),
  ];
};

const without = (settings: Settings, names: readonly string[]): Settings =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => !names.includes(name)));

/** Store settings, and which store file they come from. */
export const settingsDecider: Decider<SettingsState, SettingsCommand, SettingsEvent> = {
  category: 'settings',
  initial: () => ({ storeCurrencyCode: null, settings: {}, fileHash: null }),
  decide: (state, command) => {
    switch (command.type) {
      case 'OpenStore':
        return open(state, command);
      case 'ChangeStoreSettings':
        return change(state, command);
      case 'RecordStoreImport': {
        const { fileHash, counts } = command;
        return state.fileHash === fileHash ? [] : [StoreImported({ fileHash, counts })];
      }
    }
  },
  on: {
    StoreOpened: (state, { data: { storeCurrencyCode } }) => ({ ...state, storeCurrencyCode }),
    StoreSettingsChanged: (state, { data }) => ({
      ...state,
      settings: without({ ...state.settings, ...data.settings }, data.takenBack ?? []),
    }),
    StoreImported: (state, { data: { fileHash } }) => ({ ...state, fileHash }),
  },
  remembersCommands: true,
};
