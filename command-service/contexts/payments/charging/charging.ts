import type { CommandMeta } from '#command/engine/command-engine.ts';
import { Rejection } from '#kernel/rejection.ts';
import { createChargeInvoice } from './charge-invoice.ts';
import type { CardPayment } from '../../invoices/payments/payment.commands.ts';
import { knownInvoice, paidInvoice, type OwnInvoiceDeps, type Paid } from './own-invoice.ts';
import { hasBought, outcomeOf, type KnownOutcome } from './payment-outcome.ts';
import { providerUnavailable } from '../sessions/start-session.ts';

/** A charge that the provider was asked for. */
export interface Attempt {
  readonly outcome: KnownOutcome;
  readonly paid: Paid;
}

/** The provider answered after the invoice had expired: the money is on record, but nothing is sold. */
export const isLate = ({ outcome, paid: { invoice } }: Attempt): boolean =>
  hasBought(outcome) && invoice.status !== 'open';

export const CAME_LATE =
  'This invoice had expired when its payment arrived. The payment is noted on it and owed back to you.';

/** Charges what is left to pay of an invoice, and waits until it is known what came of it, be it too late. */
export const createChargeAtAnyTime = (deps: OwnInvoiceDeps) => {
  const chargeInvoice = createChargeInvoice(deps.settlement);
  return async (invoiceId: string, payment: CardPayment, meta: CommandMeta): Promise<Attempt> => {
    const { attemptId, position } = await chargeInvoice(invoiceId, payment, meta);
    const invoice = await knownInvoice(deps.settlement, invoiceId);
    const outcome = outcomeOf(invoice, attemptId);
    if (outcome.kind === 'notAttempted') throw providerUnavailable();
    return { outcome, paid: paidInvoice(deps, invoiceId, invoice, position) };
  };
};

/** The same. Errors: also Rejection `invoice-cancelled` where the payment came too late. */
export const createCharging = (deps: OwnInvoiceDeps) => {
  const charge = createChargeAtAnyTime(deps);
  return async (invoiceId: string, payment: CardPayment, meta: CommandMeta): Promise<Attempt> => {
    const attempt = await charge(invoiceId, payment, meta);
    if (isLate(attempt)) throw new Rejection('invoice-cancelled', CAME_LATE);
    return attempt;
  };
};
