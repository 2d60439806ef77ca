import type { CommandMeta } from '#command/engine/command-engine.ts';
import { createInstances } from '#command/engine/run-process.ts';
import type { RunAlone } from '#command/engine/run-alone.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { isKnown } from '../invoices/invoice.state.ts';
import { invoiceStream } from '../invoices/invoice.stream.ts';
import { mailDownloads, type OpenMailing } from './mail-downloads.process.ts';

export interface DeliveryDeps extends Pick<CommandDeps, 'streams'> {
  readonly runAlone?: RunAlone;
}

/** Another event brings at least one more link: an invoice that needs more runs has something wrong. */
const MOST_RUNS = 1000;

/** Has buyers told of their files, once (docs/rules/downloads.md#mail). */
export const createDownloadDelivery = (deps: DeliveryDeps) => {
  const { streams, runAlone } = deps;

  const instances = createInstances({
    process: mailDownloads,
    calls: {},
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
