import { settingsEvents, type SettingsEvent } from '#events/settings.events.ts';
import type { Decider } from '#kernel/decider.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isSameJson } from '#kernel/same-json.ts';

type Settings = Readonly<Record<string, unknown>>;

/** Fixes the currency in which everything is stored; the first event of a log. */
export interface OpenStore {
  readonly type: 'OpenStore';
  readonly storeCurrencyCode: string;
}

/** Replaces the given settings. */
export interface ChangeStoreSettings {
  readonly type: 'ChangeStoreSettings';
  readonly settings: Settings;
}

/** Says that a store file has been imported whole. */
export interface RecordStoreImport {
  readonly type: 'RecordStoreImport';
  readonly fileHash: string;
  readonly counts: Readonly<Record<string, number>>;
}

export type SettingsCommand = OpenStore | ChangeStoreSettings | RecordStoreImport;

export interface SettingsState {
  readonly storeCurrencyCode: string | null;
  readonly settings: Settings;
  /** Of the last file that was imported. */
  readonly fileHash: string | null;
}

/** The one stream of settings. */
export const SETTINGS = derivedId('settings');

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
  evolve: (state, event) => {
    switch (event.type) {
      case 'StoreOpened':
        return { ...state, storeCurrencyCode: event.data.storeCurrencyCode };
      case 'StoreSettingsChanged':
        return { ...state, settings: { ...state.settings, ...event.data.settings } };
      case 'StoreImported':
        return { ...state, fileHash: event.data.fileHash };
    }
  },
  remembersCommands: true,
};
