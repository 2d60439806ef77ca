import type { ShopStream } from '#command/engine/streams.ts';
import type { MailPreferenceEvent } from '#events/mail-preference.events.ts';
import {
  mailPreferenceDecider,
  type MailPreferenceState,
  type UnsubscribeRecoveryMails,
} from './mail-preference.decider.ts';

/** What the readers at e-mail addresses want of the shop's mails, each address in a stream of its own. */
export const mailPreferenceStream: ShopStream<
  MailPreferenceState,
  UnsubscribeRecoveryMails,
  MailPreferenceEvent
> = { decider: mailPreferenceDecider };
