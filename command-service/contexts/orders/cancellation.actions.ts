import { actorName } from '#kernel/event.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import { createInstances } from '#command/engine/run-process.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { DiscountReference } from '#reference/reference.ts';
import { checkoutStream } from '../checkout/checkout.stream.ts';
import { clearInvoice, type OpenClearing, type SettledUse } from './unpaid/clear-invoice.process.ts';
import { claimsOf } from './unpaid/expiry.actions.ts';
import type { EditDriver } from './editing/edit-driver.ts';
import { usesOfEdits } from '../invoices/order-desk/edits.state.ts';
import type { StockMoves } from './unpaid/follow-stock.ts';
import { isKnown, type InvoiceState, type KnownInvoice } from '../invoices/invoice.state.ts';
import { invoiceStream } from '../invoices/invoice.stream.ts';
import { isToJoinStock } from '../invoices/post-purchase/post-purchase.state.ts';

export interface Deleted {
  readonly deletedCount: number;
  readonly errors: readonly string[];
  readonly position: number;
}

const rowsOf = (state: InvoiceState): OpenClearing['rows'] => {
  if (!isKnown(state)) return [];
  // The unsent rest of a partly sent order stays here.
  const rows = state.content.orders
    .filter(
      ({ orderId }) =>
        state.closedOrderIds.includes(orderId) || state.orderStatuses[orderId] === 'PartiallyShipped',
    )
    .flatMap(({ warehouseId, lines }) =>
      lines.flatMap(({ productId }) =>
        warehouseId === null || productId === null ? [] : [{ productId, warehouseId }],
      ),
    );
  return [...new Map(rows.map((row) => [`${row.productId} ${row.warehouseId}`, row])).values()];
};

/** Uses of limited discounts only: the others are not counted. */
const settledUsesOf = (
  { content, placementId }: KnownInvoice,
  heldBy: string,
  { byId }: DiscountReference,
): readonly SettledUse[] => {
  const byRule = new Map(content.discounts.map(({ discountId, claimedBy }) => [discountId, claimedBy]));
  return [...byRule].flatMap(([discountId, claimedBy]) => {
    const rule = byId(discountId)?.rule;
    if (!rule || (rule.totalUsageLimit === null && rule.perCustomerUsageLimit === null)) return [];
    const holder = { basketId: claimedBy ?? heldBy, placementId: claimedBy ?? placementId };
    return [{ discountId, perCustomer: rule.perCustomerUsageLimit !== null, ...holder }];
  });
};

type CancellationDeps = Pick<CommandDeps, 'streams' | 'reference' | 'apis'> & {
  readonly stockMoves: Pick<StockMoves, 'resume'>;
  readonly edits: Pick<EditDriver, 'settle'>;
};

/** Closes payment sessions, voids authorisations and releases the customer's credit. Returns the position reached. */
const tellPayments = async (
  { apis: { payments } }: CancellationDeps,
  invoiceId: string,
  events: readonly InvoiceEvent[],
  meta: CommandMeta,
): Promise<number> => {
  if (events.some(({ type }) => type === 'PaymentSessionClosed'))
    payments.voidSessions(invoiceId, stepMeta(meta));
  if (events.some(({ type }) => type === 'VoidAttempted'))
    payments.voidAuthorizations(invoiceId, stepMeta(meta));
  const isOnAccount = events.some(({ data }) => 'isOnAccount' in data && data.isOnAccount);
  return isOnAccount ? payments.noteOutstanding(invoiceId, meta) : 0;
};

/** What a closed invoice still holds; null if it is not closed. */
const openClearing = async (
  { streams, reference, stockMoves, edits }: CancellationDeps,
  invoiceId: string,
  meta: CommandMeta,
): Promise<OpenClearing | null> => {
  const { state } = await streams.load(invoiceStream, invoiceId);
  if (!isKnown(state) || !state.isToBeCleared) return null;
  // Units of an add or an edit that have not joined the reservation yet are released once they have.
  if (isToJoinStock(state) || !(await edits.settle(state.editIds, meta))) return null;
  // Pending returns would be reserved again after the reservation was released.
  if (state.stockMoves.length > 0) await stockMoves.resume(invoiceId, meta);
  const { placementId, content, isConfirmed: isSold } = state;
  const { basketId, customerId } = content;
  const heldBy = basketId ?? invoiceId;
  const uses = {
    usesOfEdits: isSold ? [] : usesOfEdits(content),
    settledUses: isSold ? settledUsesOf(state, heldBy, reference.discounts) : [],
  };
  const what = { invoiceId, basketId, heldBy, customerId, placementId, isSold, rows: rowsOf(state), ...uses };
  if (isSold || basketId === null) return { ...what, discountIds: [], customerClaims: null };
  const { order, placement } = (await streams.load(checkoutStream, basketId)).state;
  // Its placement is still open and may reserve again: what it holds is released once it has ended.
  if (placement && (placement.invoiceId === invoiceId || state.status === 'superseded')) return null;
  const own = order?.invoiceId === invoiceId ? order : null;
  return { ...what, ...claimsOf(own, state, reference.discounts) };
};

/** Cancels and deletes invoices (docs/rules/orders.md#cancelling). */
export const createCancellation = (deps: CancellationDeps) => {
  const { streams } = deps;
  // No lease: concurrent drivers of one instance are harmless.
  const instances = createInstances({ process: clearInvoice, streams });

  /** Releases what a closed invoice still holds; no effect on any other. Returns the position reached. */
  const resume = async (invoiceId: string, meta: CommandMeta): Promise<number> =>
    (await instances.run(invoiceId, meta, (stepsMeta) => openClearing(deps, invoiceId, stepsMeta)))
      ?.position ?? 0;

  /** Has stock, payments and customer follow a cancellation. Returns the position reached. */
  const finish = async (
    invoiceId: string,
    events: readonly InvoiceEvent[],
    meta: CommandMeta,
  ): Promise<number> => {
    const credited = await tellPayments(deps, invoiceId, events, meta);
    const followed = await deps.stockMoves.resume(invoiceId, meta);
    return Math.max(credited, followed, await resume(invoiceId, meta));
  };

  const remove = async (invoiceId: string, meta: CommandMeta): Promise<number> => {
    const command = { type: 'DeleteInvoice', by: actorName(meta.actor) } as const;
    const { events, position } = await streams.send(invoiceStream, invoiceId, command, meta);
    const reached = await finish(invoiceId, events, meta);
    return events.length === 0 ? 0 : Math.max(position, reached);
  };

  return {
    resume,
    finish,
    drain: () => instances.drain(),

    /** Returns the number of orders cancelled. Errors: `invoice-not-found`, `invoice-deleted`, `payment-unknown`. */
    cancel: async (invoiceId: string, reason: string, meta: CommandMeta) => {
      const command = { type: 'CancelInvoice', reason, by: actorName(meta.actor) } as const;
      const { events, position } = await streams.send(invoiceStream, invoiceId, command, meta);
      const reached = await finish(invoiceId, events, meta);
      const cancelledOrderCount = events.filter(({ type }) => type === 'OrderStatusChanged').length;
      return { cancelledOrderCount, isNews: events.length > 0, position: Math.max(position, reached) };
    },

    /** One that cannot be deleted does not stop the others. */
    remove: async (invoiceIds: readonly string[], meta: CommandMeta): Promise<Deleted> => {
      let deletedCount = 0;
      let reached = 0;
      const errors: string[] = [];
      for (const invoiceId of new Set(invoiceIds)) {
        const { commandId } = meta;
        const own = commandId === undefined ? {} : { commandId: derivedId('delete', commandId, invoiceId) };
        try {
          const position = await remove(invoiceId, { ...meta, ...own });
          if (position > 0) deletedCount++;
          reached = Math.max(reached, position);
        } catch (error) {
          if (!(error instanceof Rejection) || error.code === 'conflict') throw error;
          errors.push(`${invoiceId}: ${error.message}`);
        }
      }
      return { deletedCount, errors, position: reached };
    },
  };
};

export type Cancellation = ReturnType<typeof createCancellation>;
