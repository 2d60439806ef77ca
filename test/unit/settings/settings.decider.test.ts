import { settingsDecider } from '#command/contexts/settings/settings.decider.ts';
import { settingsEvents } from '#events/settings.events.ts';
import { given } from '#test/support/given.ts';

const { StoreImported, StoreOpened, StoreSettingsChanged } = settingsEvents.create;

const open = (storeCurrencyCode: string) => ({ type: 'OpenStore', storeCurrencyCode }) as const;
const change = (settings: Readonly<Record<string, unknown>>) =>
  ({ type: 'ChangeStoreSettings', settings }) as const;
const imported = (fileHash: string) =>
  ({ type: 'RecordStoreImport', fileHash, counts: { products: 2 } }) as const;

describe('the settings of a store', () => {
  it('fix its currency with the first event, for good', () => {
    const opened = StoreOpened({ storeCurrencyCode: 'GBP' });
    given(settingsDecider).when(open('GBP')).then([opened]);
    given(settingsDecider, [opened]).when(open('GBP')).thenNothing();
    given(settingsDecider, [opened]).when(open('EUR')).thenRefused('store-currency-fixed');
  });

  it('record what changes and nothing else', () => {
    given(settingsDecider)
      .after(change({ lowStockThreshold: 5, showStockLevels: true }))
      .when(change({ lowStockThreshold: 6, showStockLevels: true }))
      .then([StoreSettingsChanged({ settings: { lowStockThreshold: 6 } })]);
    given(settingsDecider)
      .after(change({ lowStockThreshold: 5 }))
      .when(change({ lowStockThreshold: 5 }))
      .thenNothing();
  });

  it('fall back to the default once reset', () => {
    const takeBack = (...takenBack: readonly string[]) => ({ ...change({}), takenBack });
    given(settingsDecider)
      .after(change({ lowStockThreshold: 5, showStockLevels: true }))
      .when(takeBack('lowStockThreshold', 'maxBasketLines'))
      .then([StoreSettingsChanged({ settings: {}, takenBack: ['lowStockThreshold'] })]);
    given(settingsDecider)
      .after(change({ lowStockThreshold: 5 }), takeBack('lowStockThreshold'))
      .when(takeBack('lowStockThreshold'))
      .thenNothing();
    given(settingsDecider)
      .after(change({ lowStockThreshold: 5 }), takeBack('lowStockThreshold'))
      .when(change({ lowStockThreshold: 5 }))
      .then([StoreSettingsChanged({ settings: { lowStockThreshold: 5 } })]);
  });

  it('know the store file they come from', () => {
    given(settingsDecider)
      .when(imported('a'))
      .then([StoreImported({ fileHash: 'a', counts: { products: 2 } })]);
    given(settingsDecider).after(imported('a')).when(imported('a')).thenNothing();
    given(settingsDecider)
      .after(imported('a'))
      .when(imported('b'))
      .thenLike(['StoreImported', { fileHash: 'b' }]);
  });
});
