import type { MailEvent } from '#events/mail.events.ts';
import type { Recorded } from '#kernel/event.ts';
import type { EventDecoder } from '#log/decode-page.ts';
import { defaultMailConfigurations } from '#mails/default-configurations.ts';
import type { MailDelivery } from '#mails/mail-delivery.ts';
import type { EventStore } from '#ports/event-store.ts';
import type { MailReference } from '#reference/reference.ts';
import { streamOf } from '#values/stream-name.ts';

export interface SwitchedOffDeps {
  readonly log: Pick<EventStore, 'readStream'>;
  readonly codec: EventDecoder;
  readonly mails: Pick<MailReference, 'configuration'>;
}

/** Whether the configuration of a mail was switched off, or deleted, since it was queued. */
export type IsSwitchedOff = (mail: MailDelivery) => Promise<boolean>;

/**
 * Most are on, which is known without a question; one that was just switched off elsewhere is taken to be on until this
 * process has read of it. For the others the log is asked: this process may not have read of a new one yet.
 */
export const createSwitchedOff =
  ({ log, codec, mails }: SwitchedOffDeps): IsSwitchedOff =>
  async ({ configurationId: id }) => {
    if (id === null || mails.configuration(id)?.isEnabled === true) return false;
    const last = await log.readStream(streamOf.mailConfiguration(id), { direction: 'backwards', limit: 1 });
    const [event] = (await codec.decodeAll(last)) as readonly Recorded<MailEvent>[];
    if (!event) return defaultMailConfigurations.some((one) => one.id === id && !one.isEnabled);
    return event.type === 'MailConfigurationDeleted' || !event.data.isEnabled;
  };
