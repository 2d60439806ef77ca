import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isKnown, type InvoiceState, type KnownInvoice } from '../../invoices/invoice.state.ts';
import type { CardPayment } from '../../invoices/payments/payment.commands.ts';
import { attemptIdOf, isUnderWay } from '../../invoices/payments/asked-payment.state.ts';
import type { Settlement } from '../settle-payment.ts';

/** The attempt that a request started, shared or repeated, and the position that it reached. */
interface Charged {
  readonly attemptId: string;
  readonly position: number;
}

/** What the last attempt that ended would be called, had it been made with this very token. */
const lastAttemptId = (invoiceId: string, invoice: KnownInvoice, command: CardPayment): string =>
  attemptIdOf(invoiceId, { ...invoice, finalAttempts: invoice.finalAttempts - 1 }, command);

/** The attempt of a double click: open, gone on as a session or owed, or ended by now. */
const sharedAttemptId = (invoiceId: string, invoice: KnownInvoice, command: CardPayment): string => {
  const attemptId = attemptIdOf(invoiceId, invoice, command);
  return isUnderWay(invoice, attemptId) ? attemptId : lastAttemptId(invoiceId, invoice, command);
};

const couldNotBeAsked = (state: InvoiceState, attemptId: string): boolean =>
  isKnown(state) && state.lastFailure?.attemptId === attemptId && state.lastFailure.kind === 'notAttempted';

/**
 * Charges the balance of an invoice and waits until it is known what came of it. A double click shares the attempt, and
 * after it has paid is told of that payment. Errors: the rejections of `invoiceDecider`.
 */
export const createChargeInvoice = (settlement: Settlement) => {
  const attempt = async (invoiceId: string, command: CardPayment, meta: CommandMeta): Promise<Charged> => {
    const { state, events, isRepeat, position } = await settlement.record(invoiceId, command, meta);
    const [event] = events;
    if (event?.type !== 'PaymentAttempted') {
      return { attemptId: isKnown(state) ? sharedAttemptId(invoiceId, state, command) : '', position };
    }
    const { attemptId } = event.data;
    // The same request once more, because the provider was away: that attempt is over, this is another.
    if (isRepeat && couldNotBeAsked(state, attemptId)) return attempt(invoiceId, command, stepMeta(meta));
    return { attemptId, position };
  };

  const earlierPayment = async (
    invoiceId: string,
    command: CardPayment,
    meta: CommandMeta,
  ): Promise<Charged | null> => {
    let invoice = await settlement.load(invoiceId);
    // The callback came before the answer to this very charge: the provider is asked, and says that it is the same.
    const isAnswerMissing =
      isKnown(invoice) && invoice.openAttempt?.attemptId === attemptIdOf(invoiceId, invoice, command);
    if (isAnswerMissing) {
      await settlement.settle(invoiceId, meta);
      invoice = await settlement.load(invoiceId);
    }
    if (!isKnown(invoice)) return null;
    const attemptId = lastAttemptId(invoiceId, invoice, command);
    return [...invoice.payments, ...invoice.authorizations].some((made) => made.attemptId === attemptId)
      ? { attemptId, position: 0 }
      : null;
  };

  return async (invoiceId: string, command: CardPayment, meta: CommandMeta): Promise<Charged> => {
    const { attemptId, position } = await attempt(invoiceId, command, meta).catch(async (error: unknown) => {
      const isPaid = error instanceof Rejection && error.code === 'invoice-already-paid';
      const earlier = isPaid ? await earlierPayment(invoiceId, command, meta) : null;
      if (!earlier) throw error;
      return earlier;
    });
    return { attemptId, position: Math.max(position, await settlement.settle(invoiceId, meta)) };
  };
};
