import { actorName } from '#kernel/event.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { ModuleDeps } from '#command/engine/module.ts';
import { applyEdit } from '#command/pricing/edits/apply-edit.ts';
import type { EditedInvoice, InvoiceEdit, UseChange } from '#command/pricing/edits/invoice-edit.ts';
import { derivedId, newId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isSameJson } from '#kernel/same-json.ts';
import type { StockMoves } from '../unpaid/follow-stock.ts';
import type { EditDriver } from './edit-driver.ts';
import { gatherFacts, ratesToAsk } from './edit-facts.ts';
import {
  closedOrderIds,
  completedOrderIds,
  editedMeanwhile,
  refuseEdit,
  shippedUnits,
} from '../../invoices/order-desk/edit-invoice.state.ts';
import type { EditInvoice } from '../../invoices/invoice.commands.ts';
import { outdatedProviders } from '../../invoices/fulfilment/fulfilments.state.ts';
import { isKnown, isSold, type KnownInvoice } from '../../invoices/invoice.state.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';
import type { InvoiceEditBegun } from './invoice-edit.decider.ts';

type EditingDeps = Pick<ModuleDeps, 'streams' | 'reference' | 'settings' | 'clock' | 'apis'> & {
  readonly stockMoves: Pick<StockMoves, 'resume'>;
  readonly edits: EditDriver;
};

/** Reads what staff want in the invoice's currency. Errors: Rejection `invalid-request`. */
export interface WantedChange {
  /** The version that staff have read; null: any. */
  readonly version: number | null;
  readonly reason: string | null;
  readonly read: (invoice: KnownInvoice) => InvoiceEdit;
}

export interface EditOutcome {
  readonly invoice: KnownInvoice;
  readonly edited: Pick<EditedInvoice, 'content' | 'warnings'>;
  readonly position: number;
}

/** Attempts before a conflict is reported; a caller that sends a version is told at once. */
const ATTEMPTS = 5;

/** Errors: Rejection `invoice-not-found`, also for a deleted one. */
const loadInvoice = async ({ streams }: EditingDeps, invoiceId: string): Promise<KnownInvoice> => {
  const { state } = await streams.load(invoiceStream, invoiceId);
  if (isKnown(state) && state.status !== 'deleted') return state;
  throw new Rejection('invoice-not-found', 'There is no such invoice.');
};

/** The same, after stock has followed pending moves. */
const loadSettled = async (
  deps: EditingDeps,
  invoiceId: string,
  meta: CommandMeta,
): Promise<KnownInvoice> => {
  const invoice = await loadInvoice(deps, invoiceId);
  if (invoice.stockMoves.length === 0) return invoice;
  await deps.stockMoves.resume(invoiceId, stepMeta(meta));
  return loadInvoice(deps, invoiceId);
};

/** Works out the edited invoice; changes nothing. */
const prepare = async (
  deps: EditingDeps,
  invoice: KnownInvoice,
  editId: string,
  { version, read }: WantedChange,
): Promise<EditedInvoice> => {
  refuseEdit(invoice);
  if (version !== null && version !== invoice.edits) throw editedMeanwhile(invoice.edits);
  const edit = read(invoice);
  const { customerId } = invoice.content;
  const hasCodes = edit.orderDiscountCodes.length > 0;
  const segmentIds = hasCodes && customerId !== null ? await deps.apis.customers.segmentsOf(customerId) : [];
  const wanted = {
    editId,
    version: invoice.edits + 1,
    edit,
    shipped: shippedUnits(invoice),
    closedOrderIds: closedOrderIds(invoice),
    completedOrderIds: completedOrderIds(invoice),
  };
  const { groups, destination } = ratesToAsk(deps, invoice, edit);
  const rates = await deps.apis.shipping.ratesFor(groups, destination);
  const edited = applyEdit(invoice.content, wanted, gatherFacts(deps, invoice, edit, segmentIds, rates));
  return { ...edited, warnings: [...edited.warnings, ...outdatedProviders(invoice, edited.content)] };
};

/** Uses of limited discounts only: the others are not counted. */
const limited = ({ discounts }: EditingDeps['reference'], uses: readonly UseChange[]) =>
  uses.flatMap((use) => {
    const rule = discounts.byId(use.discountId)?.rule;
    if (!rule || (rule.totalUsageLimit === null && rule.perCustomerUsageLimit === null)) return [];
    return [{ ...use, perCustomer: rule.perCustomerUsageLimit !== null }];
  });

/** What an edit is about to reserve and to release. */
const begunOf = (
  { reference }: EditingDeps,
  invoiceId: string,
  { content, placementId }: KnownInvoice,
  { stock, gainedUses, lostUses }: EditedInvoice,
): Omit<InvoiceEditBegun, 'begunAt'> => {
  const basketId = content.basketId ?? invoiceId;
  return {
    invoiceId,
    customerId: content.customerId,
    basketId,
    placementId,
    stock: stock.map((change) => ({ ...change })),
    claims: limited(reference, gainedUses).map(({ claimedBy: _, ...claim }) => claim),
    givenUp: limited(reference, lostUses).map(({ discountId, perCustomer, claimedBy }) => ({
      discountId,
      perCustomer,
      basketId: claimedBy ?? basketId,
      placementId: claimedBy ?? placementId,
    })),
  };
};

/** Payments and downloads would follow by themselves; they are driven here for the caller that waits. */
const tellPayments = async (
  { apis: { payments, downloads } }: EditingDeps,
  invoiceId: string,
  invoice: KnownInvoice,
  meta: CommandMeta,
): Promise<number> => {
  const { isOutstandingNoted, isConfirmed, sessionsToVoid, isToBeMailed } = invoice;
  if (sessionsToVoid.length > 0) payments.voidSessions(invoiceId, stepMeta(meta));
  if (isToBeMailed) await downloads.deliver(invoiceId, stepMeta(meta));
  if ((isConfirmed || !isSold(invoice)) && isOutstandingNoted !== false) return 0;
  return payments.noteOutstanding(invoiceId, stepMeta(meta));
};

/** An edit without a version is retried on the changed invoice. */
const isToBeTriedAgain = (error: unknown, { version }: WantedChange): boolean =>
  error instanceof Rejection && error.code === 'invoice-edited-meanwhile' && version === null;

/** Edits invoices (docs/rules/invoice-editing.md). */
export const createEditing = (deps: EditingDeps) => {
  const { make, wasRefused } = deps.edits;
  const load = (invoiceId: string) => loadInvoice(deps, invoiceId);

  const attempt = async (
    invoiceId: string,
    editId: string,
    wanted: WantedChange,
    meta: CommandMeta,
  ): Promise<EditOutcome> => {
    const before = await loadSettled(deps, invoiceId, meta);
    if (before.editIds.includes(editId))
      return { invoice: before, edited: { content: before.content, warnings: [] }, position: 0 };
    const edited = await prepare(deps, before, editId, wanted);
    const { content, difference, stock, changedOrderIds, emptiedOrderIds } = edited;
    if (isSameJson(content, before.content)) return { invoice: before, edited, position: 0 };
    const command: EditInvoice = {
      type: 'EditInvoice',
      ...{ editId, content, difference, stock, changedOrderIds, emptiedOrderIds },
      after: before.edits,
      reason: wanted.reason,
      by: actorName(meta.actor),
    };
    const made = await make(editId, begunOf(deps, invoiceId, before, edited), command, meta);
    const invoice = await load(invoiceId);
    const settled = await tellPayments(deps, invoiceId, invoice, meta);
    return { invoice, edited, position: Math.max(made, settled) };
  };

  return {
    load,
    /** Errors: those of `edit`. */
    preview: async (invoiceId: string, wanted: WantedChange): Promise<EditOutcome> => {
      const invoice = await load(invoiceId);
      return { invoice, edited: await prepare(deps, invoice, invoiceId, wanted), position: 0 };
    },
    /**
     * Errors: Rejections `invoice-not-found`, `invoice-not-editable`, `invoice-edited-meanwhile`, `payment-unknown`,
     * and those of `applyEdit`.
     */
    edit: async (invoiceId: string, wanted: WantedChange, meta: CommandMeta): Promise<EditOutcome> => {
      const first = meta.commandId === undefined ? newId() : derivedId('edit', meta.commandId, invoiceId);
      for (let tries = 1; ; tries++) {
        const editId = tries === 1 ? first : derivedId('edit', first, tries);
        if (meta.commandId !== undefined && tries < ATTEMPTS && (await wasRefused(editId))) continue;
        try {
          return await attempt(invoiceId, editId, wanted, meta);
        } catch (error) {
          if (tries === ATTEMPTS || !isToBeTriedAgain(error, wanted)) throw error;
        }
      }
    },
  };
};

export type Editing = ReturnType<typeof createEditing>;
