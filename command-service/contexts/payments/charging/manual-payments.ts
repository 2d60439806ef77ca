import type { CommandMeta } from '#command/engine/command-engine.ts';
import { defined } from '#kernel/defined.ts';
import { refuseProblems } from '#kernel/entity.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { inParallel } from '#runtime/work-off.ts';
import { formatMoney, isAmountIn, toMinor, type Minor } from '#values/money.ts';
import { knownInvoice } from './own-invoice.ts';
import type { RecordManualPayment } from '../../invoices/payments/payment.commands.ts';
import type { Settlement } from '../settle-payment.ts';

/** Money that has arrived for an invoice, as a decimal number of its currency. */
export interface ManualPayment extends Pick<RecordManualPayment, 'method' | 'description'> {
  readonly amount: number;
}

/** How the money of several invoices has arrived. */
export interface ArrivedMoney {
  readonly method: string;
  readonly reference: string | null;
  /** ISO instant; null: now. */
  readonly receivedAt: string | null;
}

/** What came of one invoice of a batch. */
export interface MarkedPaid {
  readonly invoiceId: string;
  /** Null where nothing was recorded. */
  readonly payment: {
    readonly paymentId: string;
    readonly amount: Minor;
    readonly currency: string;
  } | null;
  readonly message: string;
}

/** Invoices of a batch at once: their appends share commits of the log, and shoppers come in between. */
const AT_ONCE = 4;

type Settling = Pick<Settlement, 'record' | 'settle' | 'load' | 'recall'>;

/** The one way in which staff record money (docs/rules/payments.md#promises). Errors: those of `invoiceDecider`. */
const record =
  (settlement: Settling) =>
  async (invoiceId: string, payment: Omit<RecordManualPayment, 'type'>, meta: CommandMeta) => {
    const command = { type: 'RecordManualPayment', ...payment } as const;
    const recorded = await settlement.record(invoiceId, command, meta);
    const [event] = recorded.events;
    if (event?.type !== 'PaymentCaptured') throw new Error(`no payment of invoice ${invoiceId} was recorded`);
    const position = Math.max(recorded.position, await settlement.settle(invoiceId, meta));
    const { paymentId, transactionId, amount, currency } = event.data;
    return { paymentId, transactionId, amount, currency, position };
  };

/** A conflict that outlived its tries, and an engine that is away, are the caller's to try again. */
const isRefusal = (error: unknown): error is Rejection =>
  error instanceof Rejection && error.code !== 'conflict';

/** Of a batch each invoice has its own command id, else the second would be taken for a repeat of the first. */
const metaFor = (invoiceId: string, { askedAt: _, ...meta }: CommandMeta): CommandMeta =>
  meta.commandId === undefined
    ? meta
    : { ...meta, commandId: derivedId('mark-paid', meta.commandId, invoiceId) };

/** Money that staff have seen arrive. */
export const createManualPayments = (settlement: Settling) => {
  const recordPayment = record(settlement);

  const markOne = async (
    invoiceId: string,
    { method, reference, receivedAt }: ArrivedMoney,
    meta: CommandMeta,
  ): Promise<MarkedPaid & { readonly position: number }> => {
    const description = reference === null ? method : `${method} - Ref: ${reference}`;
    const wanted = { method, amount: null, description, ...defined({ paidAt: receivedAt ?? undefined }) };
    try {
      const recorded = await recordPayment(invoiceId, wanted, metaFor(invoiceId, meta));
      const { paymentId, amount, currency, position } = recorded;
      const message = `${formatMoney(amount, currency)} recorded.`;
      return { invoiceId, payment: { paymentId, amount, currency }, message, position };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return { invoiceId, payment: null, message: error.message, position: 0 };
    }
  };

  return {
    /** Errors: `invoice-not-found`, `invalid-request`, those of `invoiceDecider`. */
    recordManually: async (invoiceId: string, { amount, ...given }: ManualPayment, meta: CommandMeta) => {
      const { currency } = (await knownInvoice(settlement, invoiceId)).content;
      if (!isAmountIn(amount, currency))
        refuseProblems([`amount: must be an amount with the decimals of ${currency}`]);
      return recordPayment(invoiceId, { ...given, amount: toMinor(amount, currency) }, meta);
    },

    /**
     * One payment an invoice, of all that is due; each once, in the order in which they are named. One that cannot be
     * paid does not keep the others.
     */
    markPaid: async (invoiceIds: readonly string[], money: ArrivedMoney, meta: CommandMeta) => {
      const ids = [...new Set(invoiceIds)];
      const results = new Map<string, Awaited<ReturnType<typeof markOne>>>();
      await inParallel(ids, AT_ONCE, async (id) => results.set(id, await markOne(id, money, meta)));
      const marked = ids.flatMap((id) => results.get(id) ?? []);
      return { results: marked, position: Math.max(0, ...marked.map(({ position }) => position)) };
    },
  };
};
