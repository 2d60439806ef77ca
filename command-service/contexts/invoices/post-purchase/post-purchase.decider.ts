import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import type { Decider } from '#kernel/decider.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { captured } from '../payments/captured-payment.state.ts';
import { openAdd, paymentOf, recordAdd, releasedOrders as released } from './added-afterwards.state.ts';
import { editedMeanwhile, refuseEdit } from '../order-desk/edit-invoice.state.ts';
import {
  initialInvoice,
  invoiceSubject,
  isKnown,
  onInvoiceEvents,
  type InvoiceState,
  type KnownInvoice,
} from '../invoice.state.ts';
import type {
  AskPostPurchaseAgain,
  BeginPostPurchaseAdd,
  EndPostPurchase,
  FailPostPurchaseAdd,
  NotePostPurchaseUndone,
  PostPurchaseCommand,
  RefusePostPurchaseAdd,
  SettlePostPurchaseAdd,
} from './post-purchase.commands.ts';
import { isBeingAddedTo, type PostPurchase, type PostPurchaseAdd } from './post-purchase.state.ts';
import { inOrder } from '../fulfilment/shipment-rules.ts';

export interface PostPurchaseContext {
  /** ISO instant. */
  readonly now: string;
  /** The business day of now. */
  readonly today: string;
}

const {
  InvoiceNoted,
  PostPurchaseAddBegun,
  PostPurchaseAddFailed,
  PostPurchaseAddRefused,
  PostPurchaseAddSettled,
  PostPurchaseAskedAgain,
  PostPurchaseChargeUndone,
  PostPurchaseEnded,
} = invoiceEvents.create;

const AUTHOR = 'post-purchase';

const known = (state: InvoiceState): KnownInvoice => {
  if (!isKnown(state) || state.status === 'deleted')
    throw new Rejection('invoice-not-found', 'There is no such invoice.');
  return state;
};

const nameOf = ({ invoiceNumber, content }: KnownInvoice) => ({
  invoiceNumber,
  businessDay: content.businessDay,
});

const offerEnded = (): Rejection =>
  new Rejection('offer-ended', 'The time for adding to this order is over.');

const refuseOtherContent = (was: { readonly fingerprint: string }, is: BeginPostPurchaseAdd): void => {
  if (was.fingerprint === is.fingerprint) return;
  throw new Rejection(
    'invalid-request',
    'idempotencyKey: must be a key of its own; this one was sent with something else.',
  );
};

/** Whether it was begun, or is over, under this very key. Errors: `invalid-request` where it was something else. */
const isRepeat = ({ add, result }: PostPurchase, command: BeginPostPurchaseAdd): boolean => {
  const before = [add?.begun, result].find((one) => one?.key === command.key);
  if (!before) return false;
  refuseOtherContent(before, command);
  return true;
};

const begin = (
  state: InvoiceState,
  command: BeginPostPurchaseAdd,
  { now }: PostPurchaseContext,
): InvoiceEvent[] => {
  const invoice = known(state);
  const { postPurchase } = invoice;
  if (postPurchase === null) throw offerEnded();
  if (isRepeat(postPurchase, command)) return [];
  if (isBeingAddedTo(invoice))
    throw new Rejection('offer-taken', 'Something is being added to this order at the moment.');
  if (!postPurchase.isOpen || now >= postPurchase.endsAt) throw offerEnded();
  refuseEdit(invoice);
  if (invoice.edits !== command.after) throw editedMeanwhile(invoice.edits);
  const { type: _, ...begun } = command;
  return [PostPurchaseAddBegun({ ...begun, begunAt: now })];
};

const askAgain = (invoice: KnownInvoice, { addId }: AskPostPurchaseAgain): InvoiceEvent[] =>
  openAdd(invoice, addId)?.isFirstAsk ? [PostPurchaseAskedAgain({ addId })] : [];

const refuse = (
  invoice: KnownInvoice,
  { addId, code }: RefusePostPurchaseAdd,
  { now }: PostPurchaseContext,
): InvoiceEvent[] =>
  openAdd(invoice, addId) ? [PostPurchaseAddRefused({ addId, code, refusedAt: now })] : [];

const fail = (
  invoice: KnownInvoice,
  { addId, code, message, charge, isOfFirstAsk }: FailPostPurchaseAdd,
  context: PostPurchaseContext,
): InvoiceEvent[] => {
  const { now } = context;
  const add = openAdd(invoice, addId);
  // Somebody else may have asked meanwhile, and been charged.
  if (add === null || (isOfFirstAsk && !add.isFirstAsk)) return [];
  const { key, fingerprint, provider } = add.begun;
  const undoing = charge?.isTaken
    ? ` ${provider} has charged it (${charge.transactionId}), and gives it back.`
    : '';
  return inOrder(
    invoice,
    () => [
      PostPurchaseAddFailed({
        ...{ addId, key, fingerprint, ...nameOf(invoice), code, message },
        ...(charge ? { charge: { ...charge } } : {}),
        failedAt: now,
      }),
      InvoiceNoted({
        noteId: derivedId('post-purchase-failed', addId),
        text: `What was to be added after the purchase was not: ${message}${undoing}`,
        isVisibleToCustomer: false,
        author: AUTHOR,
        notedAt: now,
      }),
    ],
    (before) => released(before, context),
  );
};

/** What nobody gives back stands on the invoice as money that is owed back. */
const keptPayment = (invoice: KnownInvoice, add: PostPurchaseAdd, now: string): InvoiceEvent[] => {
  const { toUndo } = add;
  if (!toUndo?.isTaken) return [];
  return captured(invoice, paymentOf(add, toUndo.transactionId), now);
};

const undone = (
  invoice: KnownInvoice,
  { addId, how }: NotePostPurchaseUndone,
  { now }: PostPurchaseContext,
): InvoiceEvent[] => {
  const add = invoice.postPurchase?.add;
  if (add?.begun.addId !== addId || add.toUndo === null) return [];
  const { transactionId } = add.toUndo;
  return [
    PostPurchaseChargeUndone({ addId, transactionId, how, undoneAt: now }),
    ...(how === 'kept' ? keptPayment(invoice, add, now) : []),
  ];
};

const settle = (
  { postPurchase }: KnownInvoice,
  { addId }: SettlePostPurchaseAdd,
  { now }: PostPurchaseContext,
): InvoiceEvent[] => {
  const add = postPurchase?.add;
  const isDone = add?.begun.addId === addId && add.stage !== 'begun' && add.toUndo === null;
  return isDone ? [PostPurchaseAddSettled({ addId, settledAt: now })] : [];
};

const end = (
  state: InvoiceState,
  { reason }: EndPostPurchase,
  context: PostPurchaseContext,
): InvoiceEvent[] => {
  if (!isKnown(state) || !state.postPurchase?.isOpen || isBeingAddedTo(state)) return [];
  const { now } = context;
  if (reason === 'expired' && now < state.postPurchase.endsAt) return [];
  return [PostPurchaseEnded({ ...nameOf(state), reason, endedAt: now }), ...released(state, context)];
};

/** What is offered after a purchase, and added to it. Shares the invoice's stream. */
export const postPurchaseDecider: Decider<
  InvoiceState,
  PostPurchaseCommand,
  InvoiceEvent,
  PostPurchaseContext
> = {
  category: 'invoice',
  initial: initialInvoice,
  decide: (state, command, context) => {
    switch (command.type) {
      case 'EndPostPurchase':
        return end(state, command, context);
      case 'BeginPostPurchaseAdd':
        return begin(state, command, context);
      case 'AskPostPurchaseAgain':
        return askAgain(known(state), command);
      case 'RefusePostPurchaseAdd':
        return refuse(known(state), command, context);
      case 'RecordPostPurchaseAdd':
        return recordAdd(known(state), command, context);
      case 'FailPostPurchaseAdd':
        return fail(known(state), command, context);
      case 'NotePostPurchaseUndone':
        return undone(known(state), command, context);
      case 'SettlePostPurchaseAdd':
        return settle(known(state), command, context);
    }
  },
  on: onInvoiceEvents,
  remembersCommands: true,
  subject: invoiceSubject,
};
