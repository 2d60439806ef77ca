import type { DownloadLinkResponse } from '#contracts/downloads.contract.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { KnownInvoice } from '../invoice.state.ts';

/** Replaces every link of an invoice; each starts with its full number of downloads. */
export interface RegenerateDownloads {
  readonly type: 'RegenerateDownloads';
  /** Null: links never expire. Omitted: as each product says. */
  readonly expiryDays?: number | null;
}

/** Makes the links that did not fit into the previous event. */
export interface MakeMoreLinks {
  readonly type: 'MakeMoreLinks';
}

/** The mail with the links is on its way. */
export interface NoteDownloadsMailed {
  readonly type: 'NoteDownloadsMailed';
}

export type DownloadsCommand = RegenerateDownloads | MakeMoreLinks | NoteDownloadsMailed;

export interface DownloadsApi {
  /** The files that the confirmation page lists. Errors: `EngineUnavailable`. */
  shownOn(invoice: KnownInvoice): Promise<readonly DownloadLinkResponse[]>;
  /** All files of an invoice, with links that have ended, too. Errors: `EngineUnavailable`. */
  allOf(invoice: KnownInvoice): Promise<readonly DownloadLinkResponse[]>;
  /** Sends the mail with the links; harmless to repeat. */
  deliver(invoiceId: string, meta: CommandMeta): Promise<unknown>;
}
