import type { CommandDeps } from '#command/engine/service-deps.ts';
import { isGuid } from '#kernel/ids.ts';
import { fulfilmentOf, referenceId, type OrderFulfilment } from '../invoices/fulfilment/fulfilments.state.ts';
import { isKnown, type KnownInvoice } from '../invoices/invoice.state.ts';
import { invoiceStream } from '../invoices/invoice.stream.ts';

/** Who says it: a provider as it is set up, in a message or answer that has a name of its own. */
export interface UpdateSource {
  readonly configurationId: string;
  readonly messageId: string;
}

/** An order that a provider has, by the name that it has for it. */
export interface FoundOrder {
  readonly invoiceId: string;
  readonly invoice: KnownInvoice;
  readonly fulfilment: OrderFulfilment;
}

/** Finds orders by what providers call them. */
export const findingOrder = ({ streams, apis }: Pick<CommandDeps, 'streams' | 'apis'>) => {
  const load = async (
    id: string,
    isIt: (invoice: KnownInvoice) => OrderFulfilment | undefined,
  ): Promise<FoundOrder | null> => {
    const invoiceId = await apis.orders.invoiceOf(id);
    const { state } = invoiceId === null ? { state: null } : await streams.load(invoiceStream, invoiceId);
    const fulfilment = state && isKnown(state) && state.status !== 'deleted' ? isIt(state) : undefined;
    if (invoiceId === null || !state || !isKnown(state) || !fulfilment) return null;
    return { invoiceId, invoice: state, fulfilment };
  };

  /** By the provider's name for it, else by our own id: but only where this provider has it. */
  return async ({ configurationId }: UpdateSource, reference: string): Promise<FoundOrder | null> => {
    const known = await load(referenceId(configurationId, reference), ({ fulfilments }) =>
      fulfilments.find((one) => one.configurationId === configurationId && one.reference === reference),
    );
    const orderId = reference.toLowerCase();
    if (known || !isGuid(orderId)) return known;
    return load(orderId, (invoice) => {
      const own = fulfilmentOf(invoice, orderId);
      return own?.reference !== null && own?.configurationId === configurationId ? own : undefined;
    });
  };
};
