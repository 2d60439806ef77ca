import type { CommandMeta } from '#command/engine/command-engine.ts';
import { createInstances, type Performs } from '#command/engine/run-process.ts';
import type { RunAlone } from '#command/engine/run-alone.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { derivedId } from '#kernel/ids.ts';
import type { DownloadUrls } from '#values/download-link.ts';
import { isKnown } from '../invoices/invoice.state.ts';
import { downloadMail } from './download-mail.ts';
import { invoiceStream } from '../invoices/invoice.stream.ts';
import { mailDownloads, type MailingCalls, type OpenMailing } from './mail-downloads.process.ts';

export interface DeliveryDeps extends Pick<CommandDeps, 'streams' | 'apis' | 'clock' | 'settings'> {
  readonly runAlone?: RunAlone;
  /** With scheme and host: a mail is read anywhere. */
  readonly mailedUrlOf: DownloadUrls;
}

/** Another event brings at least one more link: an invoice that needs more runs has something wrong. */
const MOST_RUNS = 1000;

/** Has buyers told of their files, once (docs/rules/downloads.md#mail). */
export const createDownloadDelivery = (deps: DeliveryDeps) => {
  const { streams, apis, clock, settings, mailedUrlOf, runAlone } = deps;

  const mail: Performs<MailingCalls>['mail'] = async ({ invoiceId, invoice }) => {
    const { customerId } = invoice.content;
    const written = downloadMail(invoice, {
      storeName: settings().name,
      urlOf: ({ linkId, fileId }) => mailedUrlOf({ linkId, customerId, fileId }),
      now: clock.now(),
    });
    const { generation = 0, links = [] } = invoice.downloads ?? {};
    // Further links have a mail of their own; the same ones have none.
    const id = derivedId('downloads mail', invoiceId, generation, links.length);
    if (written) await apis.mails.send(id, written);
  };

  const instances = createInstances({
    process: mailDownloads,
    calls: { mail },
    streams,
    ...(runAlone && { runAlone }),
  });

  const open = async (invoiceId: string): Promise<OpenMailing | null> => {
    const { state: invoice } = await streams.load(invoiceStream, invoiceId);
    return isKnown(invoice) && invoice.isToBeMailed ? { invoiceId, invoice } : null;
  };

  return {
    resume: async (invoiceId: string, meta: CommandMeta): Promise<void> => {
      for (let runs = 0; runs < MOST_RUNS; runs++) {
        const run = await instances.run(invoiceId, meta, () => open(invoiceId));
        if (run === null || !run.start.invoice.hasMoreDownloads) return;
      }
    },
    drain: () => instances.drain(),
  };
};
