import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import type { Command, Rules } from '#kernel/decider.ts';
import type { Rejection } from '#kernel/rejection.ts';
import type { InvoiceContext } from './invoice.context.ts';
import {
  existingInvoice,
  isKnown,
  visibleInvoice,
  type InvoiceState,
  type KnownInvoice,
} from './invoice.state.ts';

const { InvoiceNoted } = invoiceEvents.create;

export type InvoiceRules<Cmd extends Command> = Rules<InvoiceState, Cmd, InvoiceEvent, InvoiceContext>;

type Rule<Of, Cmd> = (invoice: Of, command: Cmd, context: InvoiceContext) => readonly InvoiceEvent[];

/** Refuses if there is no invoice. */
export const ofExisting =
  <Cmd>(rule: Rule<KnownInvoice, Cmd>): Rule<InvoiceState, Cmd> =>
  (state, command, context) =>
    rule(existingInvoice(state), command, context);

/** Refuses if staff see no such invoice: a deleted one counts as gone. */
export const ofVisible =
  <Cmd>(rule: Rule<KnownInvoice, Cmd>, notFound?: () => Rejection): Rule<InvoiceState, Cmd> =>
  (state, command, context) =>
    rule(visibleInvoice(state, notFound), command, context);

/** Decides nothing if there is no invoice. */
export const ifKnown =
  <Cmd>(rule: Rule<KnownInvoice, Cmd>): Rule<InvoiceState, Cmd> =>
  (state, command, context) =>
    isKnown(state) ? rule(state, command, context) : [];

/** A note for staff, written once. */
export const noted = (
  { noteIds }: Pick<KnownInvoice, 'noteIds'>,
  note: { readonly noteId: string; readonly text: string; readonly author: string },
  notedAt: string,
): InvoiceEvent[] =>
  noteIds.includes(note.noteId) ? [] : [InvoiceNoted({ ...note, isVisibleToCustomer: false, notedAt })];
