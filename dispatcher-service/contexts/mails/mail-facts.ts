import type { DispatcherDeps } from '#dispatcher/engine/module.ts';
import type { MailFacts } from '#mails/mail-topic.ts';
import { createDownloadTokens, createDownloadUrls } from '#runtime/download-tokens.ts';
import { createRecoveryLinks } from '#runtime/recovery-links.ts';
import { mailedUpsells } from './mailed-upsells.ts';

/** Links in mails need a host: the shop's own where none is configured. */
const mailedBase = ({ config, settings }: Pick<DispatcherDeps, 'config' | 'settings'>): string =>
  settings().websiteUrl ??
  (config.protocol.publicBaseUrl || config.publicBaseUrl || `http://localhost:${config.port}`);

/** What mails say beside their events and invoices, as the shop is set up now. */
export const createMailFacts = (deps: DispatcherDeps): (() => Omit<MailFacts, 'invoice'>) => {
  const { runtime, config, settings } = deps;
  const { applicationKey, reference } = runtime;
  const tokens = createDownloadTokens(config.downloads.downloadTokenSecret, applicationKey);
  const websiteUrl = (): string => mailedBase(deps);
  const recoveryUrlBase = (): string => settings()['abandonedCheckout.recoveryUrlBase'];
  const links = createRecoveryLinks(applicationKey, { recoveryUrlBase, websiteUrl });
  const fixed = {
    downloadUrlOf: createDownloadUrls(tokens, websiteUrl),
    recoveryLinkOf: links.recoveryLink,
    unsubscribeLinkOf: links.unsubscribeLink,
    upsells: (invoice: Parameters<typeof mailedUpsells>[1]) =>
      mailedUpsells({ reference, settings }, invoice),
  };
  return () => ({ ...fixed, timeZone: settings().reportingTimeZone });
};
