import type { SettingsEvent } from '#events/settings.events.ts';
import { defaultStoreSettings, type StoreSettings } from '#values/store-settings.ts';
import type { SettingsReference } from './reference.ts';
import type { Fold, ReferencePart } from './reference-part.ts';

interface SettingsSnapshot {
  readonly settings: Partial<StoreSettings>;
  readonly storeCurrency: string | null;
  readonly isStoreImported: boolean;
}

const unopened: SettingsSnapshot = { settings: {}, storeCurrency: null, isStoreImported: false };

/**
 * Store settings as the log has them over the defaults. The currency is the one that the log's first event fixed.
 * What configuration sets comes on top of this and is not the log's business.
 */
export const createSettingsReference = (): SettingsReference & ReferencePart => {
  let state = unopened;
  let current = defaultStoreSettings;
  const use = (next: SettingsSnapshot): void => {
    state = next;
    const storeCurrencyCode = next.storeCurrency ?? defaultStoreSettings.storeCurrencyCode;
    current = { ...defaultStoreSettings, ...next.settings, storeCurrencyCode };
  };
  const on: Fold<SettingsEvent> = {
    StoreOpened: ({ data }) => use({ ...state, storeCurrency: data.storeCurrencyCode }),
    StoreSettingsChanged: ({ data }) => use({ ...state, settings: { ...state.settings, ...data.settings } }),
    StoreImported: () => use({ ...state, isStoreImported: true }),
  };
  return {
    current: () => current,
    storeCurrency: () => state.storeCurrency,
    isStoreImported: () => state.isStoreImported,
    name: 'settings',
    version: 1,
    on,
    snapshot: () => state,
    restore: (snapshot) => use(snapshot as SettingsSnapshot),
  };
};
