import type { CommandMeta } from '#command/engine/command-engine.ts';
import { idOfCreated } from '#command/engine/command-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { isoInstant } from '#kernel/clock.ts';
import type { Address } from '#values/address.ts';
import { isKnown, type InvoiceState, type KnownInvoice } from '../invoices/invoice.state.ts';
import { invoiceStream } from '../invoices/invoice.stream.ts';
import { staffOf } from './staff.ts';

const found = (state: InvoiceState): KnownInvoice => {
  if (!isKnown(state)) throw new TypeError('what was changed is no invoice');
  return state;
};

/** Corrections and notes by staff. Errors: `invoice-not-found`, `invalid-request`, `cancelled`. */
export const createOrderDesk = ({
  streams,
  stateStore,
  clock,
}: Pick<CommandDeps, 'streams' | 'stateStore' | 'clock'>) => ({
  /** Returns the new address. */
  changeAddress: async (
    invoiceId: string,
    which: 'billing' | 'shipping',
    changes: Partial<Address>,
    meta: CommandMeta,
  ) => {
    const { id: by } = await staffOf(stateStore, meta.actor);
    const type = which === 'billing' ? 'ChangeBillingAddress' : 'ChangeShippingAddress';
    const { state, position } = await streams.send(
      invoiceStream,
      invoiceId,
      { type, changes, by } as const,
      meta,
    );
    const { billingAddress, shippingAddress } = found(state);
    return { address: which === 'billing' ? billingAddress : shippingAddress, position };
  },

  /** Null removes the number. */
  changePurchaseOrder: async (invoiceId: string, purchaseOrderNumber: string | null, meta: CommandMeta) => {
    const { id: by } = await staffOf(stateStore, meta.actor);
    const command = { type: 'ChangePurchaseOrderNumber', purchaseOrderNumber, by } as const;
    const { position } = await streams.send(invoiceStream, invoiceId, command, meta);
    return position;
  },

  note: async (
    invoiceId: string,
    { text, isVisibleToCustomer }: { readonly text: string; readonly isVisibleToCustomer: boolean },
    meta: CommandMeta,
  ) => {
    const { id: authorId, name: author } = await staffOf(stateStore, meta.actor);
    const noteId = idOfCreated('note', meta);
    const command = { type: 'NoteInvoice', noteId, text, isVisibleToCustomer, author, authorId } as const;
    const { events, position } = await streams.send(invoiceStream, invoiceId, command, meta);
    const [event] = events;
    const date = event?.type === 'InvoiceNoted' ? event.data.notedAt : isoInstant(clock.now());
    return { date, text, authorId, author, isVisibleToCustomer, position };
  },
});

export type OrderDesk = ReturnType<typeof createOrderDesk>;
