import { derivedId } from '#kernel/ids.ts';
import type { EventStore } from '#ports/event-store.ts';
import { streamOf } from '#values/stream-name.ts';
import { createUnsubscribeTokens } from './unsubscribe-tokens.ts';

/** The id of the preferences of an address, by the hash that is kept of it. */
export const mailPreferenceId = (addressHash: string): string => derivedId('mail preference', addressHash);

export interface MailPreferences {
  /** Whether the reader at an address wants no more recovery mails. Errors: `EngineUnavailable`. */
  isUnsubscribed(email: string): Promise<boolean>;
}

/** Asked of the log itself, by one read: what was wished a moment ago counts. */
export const createMailPreferences = (store: EventStore, applicationKey: Buffer): MailPreferences => {
  const { hashOf } = createUnsubscribeTokens(applicationKey);
  return {
    isUnsubscribed: async (email) => {
      const stream = streamOf.mailPreference(mailPreferenceId(hashOf(email)));
      return (await store.readStream(stream, { limit: 1 })).length > 0;
    },
  };
};
