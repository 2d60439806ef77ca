import type { DownloadLinkResponse } from '#contracts/downloads.contract.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { KnownInvoice } from '../invoice.state.ts';

/** Ends every link of an invoice and makes them again, with as many downloads as at first. */
export interface RegenerateDownloads {
  readonly type: 'RegenerateDownloads';
  /** Null: for ever. Left out: as each product says. */
  readonly expiryDays?: number | null;
}

/** Makes the links that did not fit into the event before. */
export interface MakeMoreLinks {
  readonly type: 'MakeMoreLinks';
}

/** Their mail is on its way. */
export interface NoteDownloadsMailed {
  readonly type: 'NoteDownloadsMailed';
}

export type DownloadsCommand = RegenerateDownloads | MakeMoreLinks | NoteDownloadsMailed;

export interface DownloadsApi {
  /** What a buyer is shown of their files on the confirmation of an invoice. Errors: `EngineUnavailable`. */
  shownOn(invoice: KnownInvoice): Promise<readonly DownloadLinkResponse[]>;
  /** Has the mail of an invoice sent; harmless to repeat. */
  deliver(invoiceId: string, meta: CommandMeta): Promise<unknown>;
}
