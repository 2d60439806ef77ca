import type { MailSettings } from '#mails/mail-configuration.ts';

export interface CreateMailConfiguration {
  readonly type: 'CreateMailConfiguration';
  readonly settings: MailSettings;
}

/** Replaces the given settings; the topic stays. */
export interface ChangeMailConfiguration {
  readonly type: 'ChangeMailConfiguration';
  readonly changes: Partial<MailSettings>;
}

export interface DeleteMailConfiguration {
  readonly type: 'DeleteMailConfiguration';
}

export type MailConfigurationCommand =
  | CreateMailConfiguration
  | ChangeMailConfiguration
  | DeleteMailConfiguration;
