import { z } from 'zod';
import { endOf, hasEnded, type DownloadsView, type KnownLink } from '#events/download-view.ts';
import { fileNameOf } from '#values/download-path.ts';

/** The file itself. */
export const fileResponse = z.string().meta({ format: 'binary' });

export const downloadParams = z.object({ token: z.string() });

export const downloadsQuery = z.object({ includeExpired: z.stringbool().default(false) });

/** A file that its buyer may download (docs/rules/downloads.md#lists). */
export const downloadLinkResponse = z.object({
  id: z.string(),
  fileName: z.string(),
  downloadUrl: z.string(),
  /** Null: it never expires. */
  expiresUtc: z.string().nullable(),
  productName: z.string(),
  /** 0: as often as wanted. */
  maxDownloads: z.int(),
  downloadCount: z.int(),
  /** Null: as many as wanted. */
  remainingDownloads: z.int().nullable(),
  lastDownloadUtc: z.string().nullable(),
  isExpired: z.boolean(),
  isDownloadLimitReached: z.boolean(),
});
export const downloadLinksResponse = z.array(downloadLinkResponse);
export type DownloadLinkResponse = z.output<typeof downloadLinkResponse>;

/** The same for staff. */
export const staffDownloadLink = downloadLinkResponse.extend({
  lineItemId: z.string(),
  fileId: z.string(),
  dateCreated: z.string(),
  /** It ended before its time: by a refund, a cancellation or an edit. */
  isRevoked: z.boolean(),
});
export const staffDownloadLinks = z.array(staffDownloadLink);
export type StaffDownloadLink = z.output<typeof staffDownloadLink>;

const MAX_EXPIRY_DAYS = 36_500;

export const regenerateDownloads = z.object({
  /** 0 or less: for ever. Left out: as each product says. */
  expiryDays: z.int().min(-MAX_EXPIRY_DAYS).max(MAX_EXPIRY_DAYS).nullish(),
});

/** What a list adds to the links that an invoice knows. */
export interface LinkFigures {
  readonly count: (linkId: string) => { readonly count: number; readonly lastDownloadAt: string } | undefined;
  readonly urlOf: (link: KnownLink) => string;
  /** The shop's time in milliseconds. */
  readonly now: number;
}

/** A link as it is answered. */
export const linkResponse = (
  view: DownloadsView,
  link: KnownLink,
  { count, urlOf, now }: LinkFigures,
): DownloadLinkResponse => {
  const { linkId: id, fileId, productName, maxDownloads } = link;
  const { count: downloadCount = 0, lastDownloadAt = null } = count(id) ?? {};
  const isLimited = maxDownloads > 0;
  const expiresUtc = endOf(view, link);
  return {
    id,
    fileName: fileNameOf(fileId),
    downloadUrl: urlOf(link),
    expiresUtc,
    productName,
    maxDownloads,
    downloadCount,
    remainingDownloads: isLimited ? Math.max(0, maxDownloads - downloadCount) : null,
    lastDownloadUtc: lastDownloadAt,
    isExpired: hasEnded(expiresUtc, now),
    isDownloadLimitReached: isLimited && downloadCount >= maxDownloads,
  };
};

/** The same for staff. */
export const staffLinkResponse = (
  view: DownloadsView,
  link: KnownLink,
  figures: LinkFigures,
): StaffDownloadLink => {
  const answer = linkResponse(view, link, figures);
  const { lineId: lineItemId, fileId, createdAt: dateCreated, expiresAt } = link;
  return { ...answer, lineItemId, fileId, dateCreated, isRevoked: answer.expiresUtc !== expiresAt };
};
