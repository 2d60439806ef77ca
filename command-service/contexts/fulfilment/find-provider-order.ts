import type { CommandDeps } from '#command/engine/service-deps.ts';
import { isGuid } from '#kernel/ids.ts';
import { fulfilmentOf, referenceId, type OrderFulfilment } from '../invoices/fulfilment/fulfilments.state.ts';
import { isKnown, type KnownInvoice } from '../invoices/invoice.state.ts';
import { invoiceStream } from '../invoices/invoice.stream.ts';

/** The configured provider, and the id of its message or answer. */
export interface UpdateSource {
  readonly configurationId: string;
  readonly messageId: string;
}

/** An order found by the provider's reference. */
export interface FoundOrder {
  readonly invoiceId: string;
  readonly invoice: KnownInvoice;
  readonly fulfilment: OrderFulfilment;
}

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

  /** By the provider's reference, else by our own id; only an order that this provider has. */
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
