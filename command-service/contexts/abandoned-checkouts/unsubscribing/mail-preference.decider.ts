import { mailPreferenceEvents, type MailPreferenceEvent } from '#events/mail-preference.events.ts';
import type { Decider } from '#kernel/decider.ts';

/** `at`: an ISO instant. */
export interface UnsubscribeRecoveryMails {
  readonly type: 'UnsubscribeRecoveryMails';
  readonly at: string;
}

export interface MailPreferenceState {
  readonly isUnsubscribed: boolean;
}

const { RecoveryMailsUnsubscribed } = mailPreferenceEvents.create;

/** One address (docs/rules/abandoned-checkouts.md#unsubscribing). */
export const mailPreferenceDecider: Decider<
  MailPreferenceState,
  UnsubscribeRecoveryMails,
  MailPreferenceEvent
> = {
  category: 'mailPreference',
  initial: () => ({ isUnsubscribed: false }),
  decide: ({ isUnsubscribed }, { at }) =>
    isUnsubscribed ? [] : [RecoveryMailsUnsubscribed({ unsubscribedAt: at })],
  on: { RecoveryMailsUnsubscribed: () => ({ isUnsubscribed: true }) },
  remembersCommands: false,
};
