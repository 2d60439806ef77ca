import { z } from 'zod';
import { defineEvents, type EventOf } from './define-events.ts';
import { currencyCode, text } from './fields.ts';

/** Store settings. Stream `settings-<one>`. Names and values are those of the configuration's section Store. */
export const settingsEvents = defineEvents('settings', {
  /** The first event of a log: fixes the currency in which everything is stored. */
  StoreOpened: { storeCurrencyCode: currencyCode },
  StoreSettingsChanged: {
    settings: z.record(text, z.unknown()),
    /** Names that have no value of their own any more. */
    takenBack: z.array(text).exactOptional(),
  },
  /** A store file has been imported whole. */
  StoreImported: { fileHash: text, counts: z.record(text, z.int()) },
});
export type SettingsEvent = EventOf<typeof settingsEvents>;
