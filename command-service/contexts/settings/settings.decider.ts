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
    `Everything in this store is kept in ${current}: it cannot become ${storeCurrencyCode}.`,
  );
};

const change = (state: SettingsState, { settings }: ChangeStoreSettings): SettingsEvent[] => {
  const changed = Object.entries(settings).filter(
    ([name, value]) => !isSameJson(state.settings[name], value),
  );
  return changed.length === 0 ? [] : [StoreSettingsChanged({ settings: Object.fromEntries(changed) })];
};

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
      settings: { ...state.settings, ...data.settings },
    }),
    StoreImported: (state, { data: { fileHash } }) => ({ ...state, fileHash }),
  },
  remembersCommands: true,
};
