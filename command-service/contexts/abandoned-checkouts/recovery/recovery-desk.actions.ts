import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { isoInstant } from '#kernel/clock.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { MailPreferences } from '#runtime/mail-preferences.ts';
import { nextRecoveryMail, type RecoveryMailKind } from '#values/abandoned-checkout.ts';
import { recoveryLimits, type AbandonedCheckoutsApi } from '../abandoned-checkout.commands.ts';
import { isRecord, type CheckoutRecord } from '../abandoned-checkout.state.ts';
import { abandonedCheckouts } from '../abandoned-checkout.stream.ts';
import type { CheckoutsInProgress } from '../checkouts-in-progress.ts';

export interface RecoveryDeskDeps extends Pick<
  CommandDeps,
  'streams' | 'clock' | 'settings' | 'subjectKeys'
> {
  readonly preferences: MailPreferences;
  readonly review: AbandonedCheckoutsApi['review'];
  readonly inProgress: Pick<CheckoutsInProgress, 'basketOf'>;
}

/** The mail that staff have asked for. */
export interface ResentMail {
  readonly kind: RecoveryMailKind;
  readonly position: number;
}

export interface NewLink {
  readonly issue: number;
  readonly position: number;
}

/**
 * Staff who win checkouts back. Errors: Rejection `abandoned-checkout-not-found`, `checkout-not-abandoned`.
 */
export const createRecoveryDesk = (deps: RecoveryDeskDeps) => {
  const { streams, clock, settings } = deps;

  /** The record, as its basket is now. */
  const found = async (recordId: string): Promise<CheckoutRecord> => {
    const { state } = await streams.load(abandonedCheckouts, recordId);
    if (!isRecord(state)) {
      // A checkout that was never abandoned has a record, but no stream; a forgotten one has the mark of its key.
      const [basketId, subject] = await Promise.all([
        deps.inProgress.basketOf(recordId),
        deps.subjectKeys.ofRecord(recordId),
      ]);
      if (basketId !== null || subject !== null)
        throw new Rejection('checkout-not-abandoned', 'This checkout has not been abandoned.');
      throw new Rejection('abandoned-checkout-not-found', 'There is no such record.');
    }
    if ((await deps.review(state.basketId)) === 'busy')
      throw new Rejection(
        'checkout-not-abandoned',
        'Its shopper is at it, or has promised to pay: there is nothing to win back now.',
      );
    const { state: reviewed } = await streams.load(abandonedCheckouts, recordId);
    return isRecord(reviewed) ? reviewed : state;
  };

  const terms = () => {
    const { expiryDays } = recoveryLimits(settings());
    return { expiryDays, now: isoInstant(clock.now()) };
  };

  return {
    resendMail: async (recordId: string, meta: CommandMeta): Promise<ResentMail> => {
      const { email } = await found(recordId);
      if (email !== null && (await deps.preferences.isUnsubscribed(email)))
        throw new Rejection(
          'checkout-not-abandoned',
          'The reader at this address wants no more of these mails.',
        );
      const command = { type: 'ResendRecoveryMail', ...terms() } as const;
      const { state, position } = await streams.send(abandonedCheckouts, recordId, command, meta);
      const sent = isRecord(state) ? state.mailsSent : 1;
      return { kind: nextRecoveryMail(sent - 1).kind, position };
    },

    regenerateLink: async (recordId: string, meta: CommandMeta): Promise<NewLink> => {
      await found(recordId);
      const command = { type: 'RegenerateRecoveryLink', ...terms() } as const;
      const { state, position } = await streams.send(abandonedCheckouts, recordId, command, meta);
      return { issue: isRecord(state) ? state.link.number : 0, position };
    },
  };
};

export type RecoveryDesk = ReturnType<typeof createRecoveryDesk>;
