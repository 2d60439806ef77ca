import { createHmac, timingSafeEqual } from 'node:crypto';
import type { DownloadUrls, SignedLink } from '#values/download-link.ts';
import { keyFor } from './keys.ts';

/** Tokens of download links: each proves a link of this shop, for one customer and file. */
export interface DownloadTokens {
  tokenOf(link: SignedLink): string;
  /** The link that a token names, before its signature is checked; null if it is no token. */
  linkIdOf(token: string): string | null;
  /** In constant time. */
  isSigned(token: string, link: SignedLink): boolean;
}

/** 32 hexadecimal digits, and 32 bytes in base64url without padding, which may itself contain a hyphen. */
const form = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})-([\w-]{43})$/;

/** `secret`: null if none is configured; then one derived from the application key. */
export const createDownloadTokens = (secret: string | null, applicationKey: Buffer): DownloadTokens => {
  const key = secret ?? keyFor(applicationKey, 'download tokens');
  const signatureOf = ({ linkId, customerId, fileId }: SignedLink): Buffer =>
    createHmac('sha256', key).update(`${linkId}:${customerId}:${fileId}`).digest();
  return {
    tokenOf: (link) => `${link.linkId.replaceAll('-', '')}-${signatureOf(link).toString('base64url')}`,
    linkIdOf: (token) => {
      const parts = form.exec(token);
      return parts && parts.slice(1, 6).join('-');
    },
    isSigned: (token, link) => {
      const signature = form.exec(token)?.[6];
      if (signature === undefined) return false;
      const given = Buffer.from(signature, 'base64url');
      const expected = signatureOf(link);
      // Different last letters can decode to the same bytes, but only one is the token.
      return timingSafeEqual(given, expected) && given.toString('base64url') === signature;
    },
  };
};

/** The address of a link: on the shop's website if that is known, else a path. */
export const createDownloadUrls =
  (tokens: DownloadTokens, websiteUrl: () => string | null): DownloadUrls =>
  (link) =>
    `${(websiteUrl() ?? '').replace(/\/+$/, '')}/api/shop/downloads/${tokens.tokenOf(link)}`;
