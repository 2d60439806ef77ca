import type { CommandMeta } from '#command/engine/command-engine.ts';
import { createInstances } from '#command/engine/run-process.ts';
import type { RunAlone } from '#command/engine/run-alone.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { Actor } from '#kernel/event.ts';
import { Rejection } from '#kernel/rejection.ts';
import { pause } from '#runtime/back-off.ts';
import { leftOfRequest } from '#runtime/request-deadline.ts';
import { keepWithinCredit, withoutTerms, type CustomerAccount } from '../../customers/customer.commands.ts';
import { isKnown, type KnownInvoice } from '../../invoices/invoice.state.ts';
import { dueInStoreCurrency } from '../../invoices/payments/owed.state.ts';
import { acceptPurchaseOrder, type OpenPurchaseOrder } from './accept-purchase-order.process.ts';
import { otherAttemptOpen } from '../../invoices/payments/invoice-money.state.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';
import type { Settlement } from '../settle-payment.ts';

interface PurchaseOrderDeps extends Pick<CommandDeps, 'streams' | 'apis'> {
  readonly settlement: Pick<Settlement, 'settle'>;
  readonly runAlone?: RunAlone;
}

const LOOK_EVERY_MILLISECONDS = 50;

const openOrder = (
  invoiceId: string,
  { orderRequest, content: { customerId } }: KnownInvoice,
): OpenPurchaseOrder | null =>
  orderRequest && customerId !== null ? { ...orderRequest, invoiceId, customerId } : null;

/** The caller's account; null where they may not buy on account. */
const accountOf = async (
  { apis }: Pick<PurchaseOrderDeps, 'apis'>,
  { kind, id }: Actor,
): Promise<CustomerAccount | null> => {
  const customerId = kind === 'member' && id !== null ? await apis.members.customerOf(id) : null;
  return customerId === null ? null : apis.customers.accountOf(customerId);
};

/** Sells on account (docs/rules/purchase-orders.md). */
export const createPurchaseOrders = (deps: PurchaseOrderDeps) => {
  const { streams, settlement, runAlone } = deps;
  const instances = createInstances({
    process: acceptPurchaseOrder,
    streams,
    ...(runAlone && { runAlone }),
  });

  const invoiceOf = async (invoiceId: string): Promise<KnownInvoice> => {
    const { state } = await streams.load(invoiceStream, invoiceId);
    if (!isKnown(state)) throw new Rejection('invoice-not-found', 'There is no such invoice.');
    return state;
  };

  const open = async (invoiceId: string): Promise<OpenPurchaseOrder | null> =>
    openOrder(invoiceId, await invoiceOf(invoiceId));

  const drive = (invoiceId: string, meta: CommandMeta) =>
    instances.run(invoiceId, meta, () => open(invoiceId));

  /** Until it is accepted or refused, by this process or by another. */
  const outcome = async (invoiceId: string, meta: CommandMeta): Promise<KnownInvoice> => {
    for (;;) {
      await drive(invoiceId, meta);
      const invoice = await invoiceOf(invoiceId);
      if (invoice.orderRequest === null) return invoice;
      if (leftOfRequest(meta.askedAt ?? 0) === 0) throw otherAttemptOpen();
      await pause(LOOK_EVERY_MILLISECONDS);
    }
  };

  /**
   * Advice, so that a refusal leaves nothing behind: the customer's stream decides. Errors: Rejections
   * `account-terms-required`, `credit-limit-exceeded`.
   */
  const check = async (invoice: KnownInvoice, actor: Actor): Promise<void> => {
    const account = await accountOf(deps, actor);
    if (account === null || account.customerId !== invoice.content.customerId) throw withoutTerms();
    if (invoice.purchaseOrder === null && invoice.orderRequest === null)
      keepWithinCredit(account, dueInStoreCurrency(invoice));
  };

  return {
    accountOf: (actor: Actor) => accountOf(deps, actor),
    check,
    /**
     * Puts an invoice on its customer's account; returns the position. Harmless to repeat. `buyer`: whose account it
     * is, where an agent asks for them. Errors: those of `check` and of `invoiceDecider`.
     */
    sell: async (
      invoiceId: string,
      purchaseOrderNumber: string,
      meta: CommandMeta,
      buyer: Actor = meta.actor,
    ): Promise<number> => {
      await check(await invoiceOf(invoiceId), buyer);
      const command = { type: 'RequestPurchaseOrder', purchaseOrderNumber } as const;
      const { state, events, position } = await streams.send(invoiceStream, invoiceId, command, meta);
      const [asked] = events;
      const standing = isKnown(state) ? (state.orderRequest ?? state.purchaseOrder) : null;
      const requestId = asked?.type === 'PurchaseOrderRequested' ? asked.data.requestId : standing?.requestId;
      const { purchaseOrder, refusedOrder } = await outcome(invoiceId, meta);
      if (purchaseOrder?.requestId !== requestId) {
        if (refusedOrder === null || refusedOrder.requestId !== requestId) throw otherAttemptOpen();
        throw new Rejection(refusedOrder.code, refusedOrder.message);
      }
      return Math.max(position, await settlement.settle(invoiceId, meta));
    },
    /** For the runner: what a crash left, up to the announced sale. */
    resume: async (invoiceId: string, meta: CommandMeta): Promise<void> => {
      await drive(invoiceId, meta);
      await settlement.settle(invoiceId, meta);
    },
    drain: () => instances.drain(),
  };
};

export type PurchaseOrders = ReturnType<typeof createPurchaseOrders>;
