import { join } from 'node:path';
import { resumeFollower } from '#dispatcher/engine/follower-checkpoint.ts';
import type { DispatcherDeps, DispatcherModule } from '#dispatcher/engine/module.ts';
import { mailFollower } from '#mails/mail-delivery.ts';
import { configFacts, NOBODY, storeFacts } from '#mails/store-facts.ts';
import { createTextCipher } from '#runtime/encryption.ts';
import { createAdminCheck } from '#runtime/backoffice-users.ts';
import { keyFor } from '#runtime/keys.ts';
import { createMailPreferences } from '#runtime/mail-preferences.ts';
import { totalsOf } from '#runtime/mail-totals.ts';
import { createMailTemplates, type MailTemplates } from '#runtime/mail-templates.ts';
import { dispatchMails } from './dispatch-mails.ts';
import { emailRoutes } from './email.routes.ts';
import { mailDeliveryRoutes } from './mail-deliveries.routes.ts';
import { mailsAmongDeliveries } from './mails-among-deliveries.ts';
import { createMailFacts } from './mail-facts.ts';
import { measureMails } from './mail-metrics.ts';
import { createOvertaken } from './overtaken.ts';
import { followRecentInvoices, type RecentInvoices } from './recent-invoices.ts';
import { createSwitchedOff } from './switched-off.ts';
import { createMailWriter, type MailWriter } from './write-mail.ts';

const writerOf = (deps: DispatcherDeps, templates: MailTemplates, recent: RecentInvoices): MailWriter => {
  const { runtime, config, settings } = deps;
  return createMailWriter({
    log: runtime.store,
    codec: runtime.codec,
    recent,
    templates,
    store: () => storeFacts(settings()),
    config: () => configFacts({ ...config.mail.smtp, ...config.mail }, settings()),
    facts: createMailFacts(deps),
  });
};

const overtakenBy = ({ store: log, codec, reference, applicationKey }: DispatcherDeps['runtime']) =>
  createOvertaken({
    ...{ log, codec },
    preferences: createMailPreferences(log, applicationKey),
    isSwitchedOff: createSwitchedOff({ log, codec, mails: reference.mails }),
  });

/** From the log to the server that takes mails, and what staff see of them. */
export const mails: DispatcherModule = {
  name: 'mails',
  resumable: (engines) => ({
    name: 'mails',
    resume: (wish) => resumeFollower(mailFollower, engines, wish),
  }),
  create: async (deps) => {
    const { runtime, config, settings: storeSettings, mailer } = deps;
    const { smtp, ...settings } = config.mail;
    const templates = createMailTemplates(join(config.dataDir, 'mail-templates'));
    // Before the follower of mails, so that it has mostly seen what that one queues.
    const recent = await followRecentInvoices(runtime);
    const dispatch = await dispatchMails({
      ...runtime,
      mailer,
      writer: writerOf(deps, templates, recent),
      overtaken: overtakenBy(runtime),
      olderCipher: createTextCipher(keyFor(runtime.applicationKey, 'mails')),
      from: smtp.from ?? NOBODY,
      settings,
      isOnlyWriter: runtime.stateStore.isOnlyWriter,
    });
    const { follower } = dispatch;
    const { mails: configurations } = runtime.reference;
    const shown = {
      ...runtime,
      ...dispatch,
      mails: configurations,
      isAdmin: createAdminCheck(runtime.stateStore),
    };
    deps.deliveryLogs.push(mailsAmongDeliveries(shown));
    return {
      routes: [
        ...emailRoutes({
          mails: configurations,
          follower: runtime.follower,
          templates,
          mailer,
          clock: runtime.clock,
          from: smtp.from ?? NOBODY,
          store: () => storeFacts(storeSettings()),
          config: () => configFacts({ ...smtp, ...settings }, storeSettings()),
          totals: (id) => totalsOf(runtime.stateStore, id),
        }),
        ...mailDeliveryRoutes({ ...shown, followers: [runtime.follower, follower] }),
      ],
      jobs: dispatch.jobs,
      followers: [{ name: 'mails', waitFor: dispatch.settled }],
      checks: [
        {
          name: 'mails',
          check: () =>
            follower.stopped &&
            `stopped at position ${follower.stopped.position}: ${follower.stopped.message}`,
        },
      ],
      measure: (metrics) => measureMails(dispatch, metrics),
      stop: () => Promise.all([dispatch.stop(), recent.stop()]).then(() => undefined),
    };
  },
};
