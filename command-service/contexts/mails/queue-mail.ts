import type { Logger } from 'pino';
import type { Clock } from '#kernel/clock.ts';
import type { Bus } from '#ports/bus.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { EventStore } from '#ports/event-store.ts';
import { declareMails, textOfMail } from '#runtime/mail-rows.ts';
import {
  configuredMail,
  mailsCollection,
  mailsOnBus,
  ownMail,
  queueOfMail,
  type MailDelivery,
} from '#mails/mail-delivery.ts';
import { derivedId } from '#kernel/ids.ts';
import type { MailReference } from '#reference/reference.ts';
import type { PersonalTexts } from '#log/personal-texts.ts';
import type { MailsApi, WrittenMail } from './mail.commands.ts';

export interface MailQueueOptions {
  readonly stateStore: DocumentStore;
  readonly store: Pick<EventStore, 'head'>;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly personalTexts: Pick<PersonalTexts, 'sealFor' | 'sealForShop'>;
  readonly mails: Pick<MailReference, 'enabledFor'>;
  readonly log: Pick<Logger, 'warn'>;
}

export interface MailQueue extends MailsApi {
  /** Says at once what it has not told the dispatcher yet. */
  stop(): Promise<void>;
}

/** Not while the request is still being answered: its time must not tell whether there was anything to send. */
const WAKE_MILLISECONDS = 300;

const textOf = ({ to, subject, text, html }: WrittenMail): string =>
  textOfMail({ to: to === null ? [] : [to], cc: [], bcc: [], from: null, subject, text, html, headers: {} });

/**
 * Hands mails to the dispatcher: a row in the state store, so that a kill loses none and a repeat queues none twice
 * (docs/rules/mail-deliveries.md#once). Declares what it writes to: call it once at start.
 */
export const createMailQueue = async (options: MailQueueOptions): Promise<MailQueue> => {
  const { stateStore, store, bus, clock, personalTexts, mails, log } = options;
  const { topic, partitions } = mailsOnBus;
  await declareMails(stateStore, store);
  await bus.declareTopic(topic, partitions);
  const queued: { readonly key: string; readonly value: string }[] = [];
  let timer: NodeJS.Timeout | null = null;

  const tell = async (): Promise<void> => {
    if (timer) clearTimeout(timer);
    timer = null;
    await bus.publish(topic, queued.splice(0)).catch((err: unknown) => {
      log.warn({ err }, 'mails are sent later: the bus does not answer');
    });
  };

  const queue = async (row: MailDelivery): Promise<void> => {
    if (!(await stateStore.insertIfAbsent(mailsCollection, row))) return;
    queued.push({ key: queueOfMail(row), value: row._id });
    timer ??= setTimeout(() => void tell(), WAKE_MILLISECONDS).unref();
  };

  return {
    send: (id, mail) => queue(ownMail(id, personalTexts.sealForShop(textOf(mail)), clock.now())),
    tell: async (id, { topic, notification, subject }) => {
      const text = textOfMail({ notification });
      const sealed = await personalTexts.sealFor(subject === null ? [] : [subject], text);
      const configurations = mails.enabledFor(topic);
      // Forgotten meanwhile: there is nothing to tell.
      if (sealed === null) return configurations.length > 0;
      const from = { position: null, sealed, isSecret: subject === null, subject };
      for (const configuration of configurations) {
        const mailId = derivedId('mail', id, configuration.id);
        await queue(configuredMail(mailId, configuration, from, clock.now()));
      }
      return configurations.length > 0;
    },
    stop: async () => {
      if (timer) await tell();
    },
  };
};
