import { createRecoveryTokens, type RecoveryIssue } from './recovery-tokens.ts';
import { createUnsubscribeTokens } from './unsubscribe-tokens.ts';

export interface RecoveryLinkSettings {
  /** The setting `abandonedCheckout.recoveryUrlBase`: a path or an address. */
  readonly recoveryUrlBase: () => string;
  /** Of the shop; null: unknown. */
  readonly websiteUrl: () => string | null;
}

/** The addresses that a recovery mail carries (docs/rules/abandoned-checkouts.md#links). */
export interface RecoveryLinks {
  /** By which its shopper comes back. */
  recoveryLink(issued: RecoveryIssue): string;
  /** By which the reader at this address ends such mails. */
  unsubscribeLink(email: string): string;
}

const DEFAULT_BASE = '/checkout/recover';

const withoutSlash = (text: string): string => text.replace(/\/+$/, '');

/** An address as it is, a path on the shop's website; where that is unknown, the path alone. */
const resolved = (path: string, websiteUrl: string | null): string => {
  if (/^https?:\/\//i.test(path)) return path;
  const fromRoot = `/${path.replace(/^\/+/, '')}`;
  return `${withoutSlash(websiteUrl ?? '')}${fromRoot}`;
};

/** For mails, `websiteUrl` is where the shop can be reached if its website is not configured. */
export const createRecoveryLinks = (
  applicationKey: Buffer,
  { recoveryUrlBase, websiteUrl }: RecoveryLinkSettings,
): RecoveryLinks => {
  const tokens = createRecoveryTokens(applicationKey);
  const unsubscribing = createUnsubscribeTokens(applicationKey);
  const base = (): string => withoutSlash(recoveryUrlBase().trim() || DEFAULT_BASE);
  return {
    recoveryLink: (issued) => resolved(`${base()}/${tokens.tokenOf(issued)}`, websiteUrl()),
    unsubscribeLink: (email) =>
      resolved(`/api/shop/checkout/unsubscribe/${unsubscribing.tokenOf(email)}`, websiteUrl()),
  };
};
