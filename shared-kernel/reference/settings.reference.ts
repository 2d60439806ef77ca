import type { SettingsEvent } from '#events/settings.events.ts';
import type { Recorded } from '#kernel/event.ts';
import { defaultStoreSettings, type StoreSettings } from '#values/store-settings.ts';
import type { SettingsReference } from './reference.ts';
import type { ReferencePart } from './reference-part.ts';

interface SettingsSnapshot {
  readonly settings: Partial<StoreSettings>;
  readonly storeCurrency: string | null;
  readonly isStoreImported: boolean;
}

const unopened: SettingsSnapshot = { settings: {}, storeCurrency: null, isStoreImported: false };

const after = (state: SettingsSnapshot, event: SettingsEvent): SettingsSnapshot => {
  switch (event.type) {
    case 'StoreOpened':
      return { ...state, storeCurrency: event.data.storeCurrencyCode };
    case 'StoreSettingsChanged':
      return { ...state, settings: { ...state.settings, ...event.data.settings } };
    case 'StoreImported':
      return { ...state, isStoreImported: true };
  }
};

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
  return {
    current: () => current,
    storeCurrency: () => state.storeCurrency,
    isStoreImported: () => state.isStoreImported,
    name: 'settings',
    version: 1,
    eventTypes: ['StoreOpened', 'StoreSettingsChanged', 'StoreImported'],
    apply: (event) => use(after(state, event as Recorded<SettingsEvent>)),
    snapshot: () => state,
    restore: (snapshot) => use(snapshot as SettingsSnapshot),
  };
};
