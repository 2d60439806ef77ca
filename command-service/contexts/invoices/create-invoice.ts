import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import { Rejection } from '#kernel/rejection.ts';
import { invoiceBalance } from '#values/invoice-balance.ts';
import type { CreateInvoice } from './invoice.commands.ts';
import type { Moment } from './invoice.context.ts';
import type { InvoiceState } from './invoice.state.ts';
import { paymentOfNothing } from './payments/captured-payment.state.ts';

const { InvoiceCreated } = invoiceEvents.create;

export const createInvoice = (
  state: InvoiceState,
  command: CreateInvoice,
  { now }: Moment,
): InvoiceEvent[] => {
  if (state.status === 'void') throw new Rejection('cancelled', `No invoice: ${state.reason}.`);
  if (state.status !== 'none') return [];
  const { type: _, ...data } = command;
  const { total } = command.content.amounts;
  const isFree = total === 0;
  const balance = isFree
    ? { ...invoiceBalance(0, 0, 0), paymentStatus: 'Unpaid' as const }
    : invoiceBalance(total, 0, 0);
  const created = InvoiceCreated({ ...data, balance });
  return isFree ? [created, paymentOfNothing(command, now)] : [created];
};
