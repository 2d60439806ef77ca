import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { isoInstant } from '#kernel/clock.ts';
import { Rejection } from '#kernel/rejection.ts';
import { mailPreferenceId } from '#runtime/mail-preferences.ts';
import type { UnsubscribeTokens } from '#runtime/unsubscribe-tokens.ts';
import { mailPreferenceStream } from './mail-preference.stream.ts';

export interface UnsubscribeDeps extends Pick<CommandDeps, 'streams' | 'clock'> {
  readonly tokens: UnsubscribeTokens;
}

/** Ending recovery mails. Errors: Rejection `unsubscribe-link-invalid`. */
export const createUnsubscribing = ({ streams, clock, tokens }: UnsubscribeDeps) => {
  const addressHashOf = (token: string): string => {
    const hash = tokens.read(token);
    if (hash === null)
      throw new Rejection('unsubscribe-link-invalid', 'This link is not complete. Copy it from the mail.');
    return hash;
  };
  return {
    check: (token: string): void => {
      addressHashOf(token);
    },
    unsubscribe: async (token: string, meta: CommandMeta): Promise<void> => {
      const id = mailPreferenceId(addressHashOf(token));
      const command = { type: 'UnsubscribeRecoveryMails', at: isoInstant(clock.now()) } as const;
      await streams.send(mailPreferenceStream, id, command, meta);
    },
  };
};

export type Unsubscribing = ReturnType<typeof createUnsubscribing>;
