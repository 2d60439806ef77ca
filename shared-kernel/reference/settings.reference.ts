import type { SettingsEvent } from '#events/settings.events.ts';
import {
  defaultStoreSettings,
  settingsOver,
  type GivenSettings,
  type StoreSettings,
} from '#values/store-settings.ts';
import type { SettingsReference } from './reference.ts';
import type { Fold, ReferencePart } from './reference-part.ts';
import { ChunkedEntries } from './chunked-entries.ts';

interface SettingsState {
  readonly settings: GivenSettings;
  readonly storeCurrency: string | null;
  readonly isStoreImported: boolean;
}

/** What a store has settings of its own for after a change. */
const changedSettings = (
  before: GivenSettings,
  settings: Readonly<Record<string, unknown>>,
  takenBack: readonly string[] = [],
): GivenSettings =>
  Object.fromEntries(
    Object.entries({ ...before, ...settings }).filter(([name]) => !takenBack.includes(name)),
  );

const unopened: SettingsState = { settings: {}, storeCurrency: null, isStoreImported: false };

/**
 * Store settings as the log has them over the defaults. The currency is the one that the log's first event fixed.
 * What configuration sets comes on top of this and is not the log's business.
 */
export const createSettingsReference = (): SettingsReference & ReferencePart => {
  const entries = new ChunkedEntries<SettingsState>();
  let state = unopened;
  let current: StoreSettings = defaultStoreSettings;
  const use = (next: SettingsState): void => {
    state = next;
    entries.set('settings', next);
    const storeCurrencyCode = next.storeCurrency ?? defaultStoreSettings.storeCurrencyCode;
    current = { ...settingsOver(defaultStoreSettings, next.settings), storeCurrencyCode };
  };
  const on: Fold<SettingsEvent> = {
    StoreOpened: ({ data }) => use({ ...state, storeCurrency: data.storeCurrencyCode }),
    StoreSettingsChanged: ({ data: { settings, takenBack } }) =>
      use({ ...state, settings: changedSettings(state.settings, settings, takenBack) }),
    StoreImported: () => use({ ...state, isStoreImported: true }),
  };
  return {
    current: () => current,
    stored: () => state.settings,
    storeCurrency: () => state.storeCurrency,
    isStoreImported: () => state.isStoreImported,
    name: 'settings',
    version: 1,
    on,
    entries,
    restore: (kept) => {
      for (const [, settings] of kept) use(settings as SettingsState);
    },
    clear: () => {
      state = unopened;
      current = defaultStoreSettings;
    },
  };
};
