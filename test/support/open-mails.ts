import { createMemoryBus } from '#adapters/memory/memory-bus.ts';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { createMailQueue, type MailQueue } from '#command/contexts/mails/queue-mail.ts';
import { dispatchMails, type MailDispatch } from '#dispatcher/contexts/mails/dispatch-mails.ts';
import { createMailWriter } from '#dispatcher/contexts/mails/write-mail.ts';
import { createSwitchedOff } from '#dispatcher/contexts/mails/switched-off.ts';
import { createOvertaken } from '#dispatcher/contexts/mails/overtaken.ts';
import { followRecentInvoices } from '#dispatcher/contexts/mails/recent-invoices.ts';
import { getMail } from '#dispatcher/contexts/mails/mail-rows.ts';
import { newId } from '#kernel/ids.ts';
import { createFeed } from '#log/feed.ts';
import { createPersonalTexts } from '#log/personal-texts.ts';
import { createSubjectKeys } from '#log/subject-keys.ts';
import type { MailDelivery } from '#mails/mail-delivery.ts';
import { sampleConfig, sampleStore } from '#mails/store-facts.ts';
import type { Mail, Mailer, SentMail } from '#ports/mailer.ts';
import { createMailReference } from '#reference/mails.reference.ts';
import { createTextCipher } from '#runtime/encryption.ts';
import type { JobSummary } from '#runtime/job-runner.ts';
import { createMailPreferences } from '#runtime/mail-preferences.ts';
import { createLeases } from '#runtime/leases.ts';
import { createMailTemplates } from '#runtime/mail-templates.ts';
import { movableClock } from './open-webhooks.ts';
import { plainDecoder, silentLog } from './plain-log.ts';

export const applicationKey = Buffer.alloc(32, 1);
export const olderCipher = createTextCipher(Buffer.alloc(32, 2));
const log = { ...silentLog, debug: () => undefined };

/**
 * What lives longer than the processes of a shop that sends mails, and what its mail server is told; or, of a shop in
 * one process, what becomes files.
 */
export const openMails = async (to: 'server' | 'files' = 'server') => {
  const stores = {
    store: createMemoryEventStore(),
    stateStore: createMemoryDocumentStore(),
    bus: createMemoryBus(),
  };
  const { store, stateStore } = stores;
  const clock = movableClock();
  const keys = await createSubjectKeys({ store: stateStore, applicationKey });
  const personalTexts = createPersonalTexts(keys, applicationKey);
  const reference = createMailReference();
  const sent: Mail[] = [];
  const outcomes: (SentMail | Promise<SentMail>)[] = [];
  const mailer: Mailer = {
    atOnce: 4,
    isIdempotent: to === 'files',
    send: async (mail) => {
      sent.push(mail);
      return outcomes.shift() ?? { kind: 'sent' };
    },
    close: () => undefined,
  };
  /** Whether callers keep the process busy. */
  const traffic = { isHeavy: () => false };
  const closing: (() => Promise<unknown>)[] = [];

  /** A command service's. */
  const queue = (): Promise<MailQueue> =>
    createMailQueue({ ...stores, clock, personalTexts, mails: reference, log });

  /** A dispatcher without HTTP. */
  const dispatcher = async (
    isOnlyWriter = to === 'files',
    through: Mailer = mailer,
  ): Promise<MailDispatch> => {
    const codec = plainDecoder();
    const feed = createFeed({ store, codec, clock, log: silentLog });
    const dispatch = await dispatchMails({
      finishWithinMs: 50,
      ...{ ...stores, feed, codec, clock, personalTexts, olderCipher, isOnlyWriter, traffic, log },
      leases: createLeases({ stateStore, instanceId: newId(), isOnlyWriter }),
      mailer: through,
      from: 'shop@example.com',
      settings: { maxRetries: 3, retryDelaysSeconds: [60, 300, 900], deliveryLogRetentionDays: 30 },
      overtaken: createOvertaken({
        ...{ log: store, codec },
        preferences: createMailPreferences(store, applicationKey),
        isSwitchedOff: createSwitchedOff({ log: store, codec, mails: reference }),
      }),
      writer: createMailWriter({
        ...{ log: store, codec, config: () => sampleConfig },
        ...(to === 'files' && { recent: await followRecentInvoices({ feed, store, personalTexts }) }),
        templates: createMailTemplates('/nowhere'),
        store: () => sampleStore,
        facts: () => ({
          downloadUrlOf: ({ linkId }) => `https://shop/${linkId}`,
          recoveryLinkOf: ({ recordId, issue }) => `https://shop/recover/${recordId}/${issue}`,
          unsubscribeLinkOf: () => 'https://shop/unsubscribe/token',
          timeZone: 'UTC',
        }),
      }),
    });
    await feed.start();
    closing.push(() => dispatch.stop().then(() => feed.stop()));
    return dispatch;
  };

  return {
    ...stores,
    ...{ clock, keys, personalTexts, sent, outcomes, mailer, traffic, queue, dispatcher },
    row: (id: string): Promise<MailDelivery | null> => getMail(stateStore, id),
    settle: async (dispatch: MailDispatch): Promise<boolean> => dispatch.settled(await store.head(), 2000),
    runJob: async (dispatch: MailDispatch, name: string): Promise<JobSummary | undefined> =>
      dispatch.jobs.find((job) => job.name === name)?.runOnce(clock.now()),
    close: () => Promise.all(closing.splice(0).map((close) => close())),
  };
};

export type OpenMails = Awaited<ReturnType<typeof openMails>>;
