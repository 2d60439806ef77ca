import { z } from 'zod';
import { personal } from './define-events.ts';
import { count, guid, instant, text } from './fields.ts';
import { invoiceName } from './invoice.fields.ts';

/** A file that a buyer may download, as it was when they paid (docs/rules/downloads.md#links). */
const downloadLink = z.object({
  linkId: guid,
  lineId: guid,
  /** A path below the folder of downloads. */
  fileId: text,
  productName: text,
  /** Shown on the confirmation; else it is in the mail and in the account only. */
  isInstant: z.boolean(),
  /** Null: it never expires. */
  expiresAt: instant.nullable(),
  /** 0: as often as wanted. */
  maxDownloads: count,
});
export type DownloadLink = z.output<typeof downloadLink>;

/** Files of an invoice, in its stream (docs/rules/downloads.md). */
export const downloadShapes = {
  DownloadLinksCreated: {
    ...invoiceName,
    customerId: guid,
    /** The member who had signed in. */
    memberId: guid.exactOptional(),
    email: personal(text),
    links: z.array(downloadLink),
    /** Staff had them made again, for this many days (null: for ever): the earlier ones are gone. */
    replaces: z.object({ expiryDays: count.nullable().exactOptional() }).exactOptional(),
    /** Others follow in an event of their own: an event holds a limited number. */
    hasMore: z.literal(true).exactOptional(),
    createdAt: instant,
  },
  /** The order of these lines was cancelled apart from its invoice. */
  DownloadLinksWithdrawn: { lineIds: z.array(guid), withdrawnAt: instant },
  /** The mail with the links is on its way. */
  DownloadLinksMailed: { mailedAt: instant },
};
