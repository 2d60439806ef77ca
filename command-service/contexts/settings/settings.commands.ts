/** Fixes the currency in which everything is stored; the first event of a log. */
export interface OpenStore {
  readonly type: 'OpenStore';
  readonly storeCurrencyCode: string;
}

/** Replaces the given settings. */
export interface ChangeStoreSettings {
  readonly type: 'ChangeStoreSettings';
  readonly settings: Readonly<Record<string, unknown>>;
  /** Names that are to have no value of their own any more. */
  readonly takenBack?: readonly string[];
}

/** Says that a store file has been imported whole. */
export interface RecordStoreImport {
  readonly type: 'RecordStoreImport';
  readonly fileHash: string;
  readonly counts: Readonly<Record<string, number>>;
}

export type SettingsCommand = OpenStore | ChangeStoreSettings | RecordStoreImport;
