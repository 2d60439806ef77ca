import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import type { Decider } from '#kernel/decider.ts';
import { Rejection } from '#kernel/rejection.ts';
import {
  initialInvoice,
  invoiceSubject,
  isKnown,
  onInvoiceEvents,
  type InvoiceState,
  type KnownInvoice,
} from '../invoice.state.ts';
import type { DownloadsCommand } from './downloads.commands.ts';
import { mayDownload, missingLinks, renewedLinks, type DownloadsContext } from './due-links.state.ts';

const { DownloadLinksMailed } = invoiceEvents.create;

const known = (state: InvoiceState): KnownInvoice => {
  if (!isKnown(state) || state.status === 'deleted')
    throw new Rejection('invoice-not-found', 'There is no such invoice.');
  return state;
};

/** Errors: `invoice-not-found`, `invoice-cancelled`, `downloads-not-due`. */
const downloadable = (state: InvoiceState): KnownInvoice => {
  const invoice = known(state);
  if (invoice.status !== 'open') throw new Rejection('invoice-cancelled', 'This order has been cancelled.');
  if (mayDownload(invoice)) return invoice;
  const why =
    invoice.balance.paymentStatus === 'Refunded' ? 'it was refunded in full' : 'it has still to be paid';
  throw new Rejection('downloads-not-due', `There is nothing to download of this invoice: ${why}.`);
};

/** What is downloaded of an invoice, in its stream (docs/rules/downloads.md). */
export const downloadsDecider: Decider<InvoiceState, DownloadsCommand, InvoiceEvent, DownloadsContext> = {
  category: 'invoice',
  initial: initialInvoice,
  decide: (state, command, context) => {
    switch (command.type) {
      case 'RegenerateDownloads':
        return renewedLinks(downloadable(state), context, command.expiryDays);
      case 'MakeMoreLinks':
        return known(state).hasMoreDownloads ? missingLinks(state, context) : [];
      case 'NoteDownloadsMailed': {
        const { isToBeMailed, hasMoreDownloads } = known(state);
        // Their mail is to name those as well that somebody else has still to make.
        const isComplete = !hasMoreDownloads || missingLinks(state, context).length === 0;
        return isToBeMailed && isComplete ? [DownloadLinksMailed({ mailedAt: context.now })] : [];
      }
    }
  },
  on: onInvoiceEvents,
  remembersCommands: true,
  subject: invoiceSubject,
};
