import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import { defined } from '#kernel/defined.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { captured } from '../payments/captured-payment.state.ts';
import { openAdd, paymentOf, recordAdd, releasedOrders as released } from './added-afterwards.state.ts';
import { editedMeanwhile, refuseEdit } from '../order-desk/edit-invoice.state.ts';
import type { InvoiceContext } from '../invoice.context.ts';
import { ifKnown, noted, ofVisible, type InvoiceRules } from '../invoice-rules.ts';
import { nameOf, type KnownInvoice } from '../invoice.state.ts';
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

const {
  PostPurchaseAddBegun,
  PostPurchaseAddFailed,
  PostPurchaseAddRefused,
  PostPurchaseAddSettled,
  PostPurchaseAskedAgain,
  PostPurchaseChargeUndone,
  PostPurchaseEnded,
} = invoiceEvents.create;

const offerEnded = (): Rejection =>
  new Rejection('offer-ended', 'The time for adding to this order is over.');

const refuseOtherContent = (was: { readonly fingerprint: string }, is: BeginPostPurchaseAdd): void => {
  if (was.fingerprint === is.fingerprint) return;
  throw new Rejection(
    'invalid-request',
    'idempotencyKey: must be a key of its own; this one was sent with something else.',
  );
};

/** Whether an add was begun, or is over, under this key. Errors: `invalid-request` if that was another add. */
const isRepeat = ({ add, result }: PostPurchase, command: BeginPostPurchaseAdd): boolean => {
  const before = [add?.begun, result].find((one) => one?.key === command.key);
  if (!before) return false;
  refuseOtherContent(before, command);
  return true;
};

const begin = (
  invoice: KnownInvoice,
  command: BeginPostPurchaseAdd,
  { now }: InvoiceContext,
): InvoiceEvent[] => {
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
  { now }: InvoiceContext,
): InvoiceEvent[] =>
  openAdd(invoice, addId) ? [PostPurchaseAddRefused({ addId, code, refusedAt: now })] : [];

const fail = (
  invoice: KnownInvoice,
  { addId, code, message, charge, isOfFirstAsk }: FailPostPurchaseAdd,
  context: InvoiceContext,
): InvoiceEvent[] => {
  const { now } = context;
  const add = openAdd(invoice, addId);
  // Another caller may have asked since, and been charged.
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
        ...defined({ charge: charge ? { ...charge } : undefined }),
        failedAt: now,
      }),
      ...noted(
        invoice,
        {
          noteId: derivedId('post-purchase-failed', addId),
          text: `What was to be added after the purchase was not: ${message}${undoing}`,
          author: 'post-purchase',
        },
        now,
      ),
    ],
    (before) => released(before, context),
  );
};

/** A charge that cannot be undone stays on the invoice as an overpayment. */
const keptPayment = (invoice: KnownInvoice, add: PostPurchaseAdd, now: string): InvoiceEvent[] => {
  const { toUndo } = add;
  if (!toUndo?.isTaken) return [];
  return captured(invoice, paymentOf(add, toUndo.transactionId), now);
};

const undone = (
  invoice: KnownInvoice,
  { addId, how }: NotePostPurchaseUndone,
  { now }: InvoiceContext,
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
  { now }: InvoiceContext,
): InvoiceEvent[] => {
  const add = postPurchase?.add;
  const isDone = add?.begun.addId === addId && add.stage !== 'begun' && add.toUndo === null;
  return isDone ? [PostPurchaseAddSettled({ addId, settledAt: now })] : [];
};

const end = (invoice: KnownInvoice, { reason }: EndPostPurchase, context: InvoiceContext): InvoiceEvent[] => {
  const { postPurchase } = invoice;
  const { now } = context;
  if (!postPurchase?.isOpen || isBeingAddedTo(invoice)) return [];
  if (reason === 'expired' && now < postPurchase.endsAt) return [];
  return [PostPurchaseEnded({ ...nameOf(invoice), reason, endedAt: now }), ...released(invoice, context)];
};

/** Offers after a purchase, and what is added (docs/rules/post-purchase.md). */
export const postPurchaseRules: InvoiceRules<PostPurchaseCommand> = {
  EndPostPurchase: ifKnown(end),
  BeginPostPurchaseAdd: ofVisible(begin),
  AskPostPurchaseAgain: ofVisible(askAgain),
  RefusePostPurchaseAdd: ofVisible(refuse),
  RecordPostPurchaseAdd: ofVisible(recordAdd),
  FailPostPurchaseAdd: ofVisible(fail),
  NotePostPurchaseUndone: ofVisible(undone),
  SettlePostPurchaseAdd: ofVisible(settle),
};
