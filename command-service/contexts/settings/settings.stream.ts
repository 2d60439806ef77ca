import type { ShopStream } from '#command/engine/streams.ts';
import type { SettingsEvent } from '#events/settings.events.ts';
import { derivedId } from '#kernel/ids.ts';
import type { SettingsCommand } from './settings.commands.ts';
import { settingsDecider, type SettingsState } from './settings.decider.ts';

export const SETTINGS = derivedId('settings');

/** Store settings, and which store file they come from. */
export const settingsStream: ShopStream<SettingsState, SettingsCommand, SettingsEvent> = {
  decider: settingsDecider,
};
