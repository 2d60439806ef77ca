import type { DispatcherDeps } from '#dispatcher/engine/module.ts';
import type { MailFacts } from '#mails/mail-topic.ts';
import { createDownloadTokens, createDownloadUrls } from '#runtime/download-tokens.ts';
import { createRecoveryLinks, createUnsubscribeLinks } from '#runtime/recovery-links.ts';
import { shopUrlOf } from '#runtime/shop-url.ts';
import { mailedUpsells } from './mailed-upsells.ts';

/** What mails say beside their events and invoices, as the shop is set up now. */
export const createMailFacts = (deps: DispatcherDeps): (() => Omit<MailFacts, 'invoice'>) => {
  const { runtime, config, settings } = deps;
  const { applicationKey, reference } = runtime;
  const tokens = createDownloadTokens(config.downloads.downloadTokenSecret, applicationKey);
  const shopUrl = (): string => shopUrlOf(config, settings());
  const links = createRecoveryLinks(applicationKey, {
    recoveryUrlBase: () => settings()['abandonedCheckout.recoveryUrlBase'],
    websiteUrl: () => settings().websiteUrl ?? shopUrl(),
  });
  const fixed = {
    downloadUrlOf: createDownloadUrls(tokens, shopUrl),
    recoveryLinkOf: links.recoveryLink,
    unsubscribeLinkOf: createUnsubscribeLinks(applicationKey, shopUrl),
    upsells: (invoice: Parameters<typeof mailedUpsells>[1]) =>
      mailedUpsells({ reference, settings }, invoice),
  };
  return () => ({ ...fixed, timeZone: settings().reportingTimeZone });
};
