import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isKnown, type KnownInvoice } from '../invoices/invoice.state.ts';
import { invoiceStream } from '../invoices/invoice.stream.ts';

interface DownloadsDeps extends Pick<CommandDeps, 'streams'> {
  readonly deliver: (invoiceId: string, meta: CommandMeta) => Promise<unknown>;
}

/** What staff do about files that were sold (docs/rules/downloads.md#staff). */
export const createDownloads = ({ streams, deliver }: DownloadsDeps) => ({
  /** `expiryDays`: 0 or less for ever; null: as each product says. Errors: those of `downloadsDecider`. */
  regenerate: async (
    invoiceId: string,
    expiryDays: number | null,
    meta: CommandMeta,
  ): Promise<{ readonly invoice: KnownInvoice; readonly position: number }> => {
    const days = expiryDays === null ? {} : { expiryDays: expiryDays > 0 ? expiryDays : null };
    const command = { type: 'RegenerateDownloads', ...days } as const;
    const { position } = await streams.send(invoiceStream, invoiceId, command, meta);
    await deliver(invoiceId, stepMeta(meta));
    const { state: invoice } = await streams.load(invoiceStream, invoiceId);
    if (!isKnown(invoice)) throw new Rejection('invoice-not-found', 'There is no such invoice.');
    return { invoice, position };
  },
});

export type DownloadsActions = ReturnType<typeof createDownloads>;
