import { createRecoveryTokens, type RecoveryIssue } from './recovery-tokens.ts';
import { createUnsubscribeTokens } from './unsubscribe-tokens.ts';

export interface RecoveryLinkSettings {
  /** The setting `abandonedCheckout.recoveryUrlBase`: a path or an address. */
  readonly recoveryUrlBase: () => string;
  /** Of the shop; null: unknown. */
  readonly websiteUrl: () => string | null;
}

/** The address by which a shopper comes back (docs/rules/abandoned-checkouts.md#links). */
export interface RecoveryLinks {
  recoveryLink(issued: RecoveryIssue): string;
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
  const base = (): string => withoutSlash(recoveryUrlBase().trim() || DEFAULT_BASE);
  return {
    recoveryLink: (issued) => resolved(`${base()}/${tokens.tokenOf(issued)}`, websiteUrl()),
  };
};

/** By which the reader at an address ends recovery mails: the shop itself answers there, not its website. */
export const createUnsubscribeLinks = (applicationKey: Buffer, shopUrl: () => string) => {
  const tokens = createUnsubscribeTokens(applicationKey);
  return (email: string): string =>
    resolved(`/api/shop/checkout/unsubscribe/${tokens.tokenOf(email)}`, shopUrl());
};
