import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { Actor } from '#kernel/event.ts';
import { Rejection } from '#kernel/rejection.ts';
import { nextBasketId } from '../../basket/basket.state.ts';
import type { MembersApi } from '../../members/member.commands.ts';
import { isKnown, type KnownInvoice } from '../../invoices/invoice.state.ts';
import type { Settlement } from '../settle-payment.ts';

export interface OwnInvoiceDeps extends Pick<CommandDeps, 'keyedHash' | 'apis'> {
  readonly settlement: Settlement;
}

/** What came of a payment: the invoice as it is now, and the basket with which the shopper goes on. */
export interface Paid {
  readonly invoiceId: string;
  readonly invoice: KnownInvoice;
  /** null: there was no basket. */
  readonly nextBasketId: string | null;
  readonly position: number;
}

/** What never changes of an invoice is so, what does is as this process knows it. Errors: `invoice-not-found`. */
export const knownInvoice = async (
  settlement: Pick<Settlement, 'recall' | 'load'>,
  invoiceId: string,
): Promise<KnownInvoice> => {
  const known = await settlement.recall(invoiceId);
  const invoice = isKnown(known) ? known : await settlement.load(invoiceId);
  if (!isKnown(invoice)) throw new Rejection('invoice-not-found', 'There is no such invoice.');
  return invoice;
};

/**
 * Whether it is of the visitor whose basket it was, who may hold the next one's cookie by now, or of the member who
 * bought it.
 */
export const isOwn = (
  deps: Pick<OwnInvoiceDeps, 'keyedHash'>,
  invoice: KnownInvoice,
  basketId: string | null,
  { kind, id }: Actor,
): boolean => {
  const { memberId, basketId: bought } = invoice.content;
  if (kind === 'member' && id !== null && memberId === id) return true;
  if (bought === null || basketId === null) return false;
  return basketId === bought || isNextBasket(deps, invoice, basketId);
};

/** Whether this is the basket that follows the bought one. */
export const isNextBasket = (
  { keyedHash }: Pick<OwnInvoiceDeps, 'keyedHash'>,
  { content: { basketId: bought } }: KnownInvoice,
  basketId: string | null,
): boolean => bought !== null && basketId === nextBasketId(bought, keyedHash);

/** The same, or of the customer who has proven to be the member who is signed in. */
export const isBuyer = async (
  deps: Pick<OwnInvoiceDeps, 'keyedHash'> & {
    readonly apis: { readonly members: Pick<MembersApi, 'customerOf'> };
  },
  invoice: KnownInvoice,
  basketId: string | null,
  actor: Actor,
): Promise<boolean> => {
  if (isOwn(deps, invoice, basketId, actor)) return true;
  if (actor.kind !== 'member' || actor.id === null) return false;
  const { customerId } = invoice.content;
  return customerId !== null && (await deps.apis.members.customerOf(actor.id)) === customerId;
};

/** Errors: `invoice-not-found`, `not-yours`. */
export const ownInvoice = async (
  deps: OwnInvoiceDeps,
  invoiceId: string,
  basketId: string | null,
  actor: Actor,
): Promise<KnownInvoice> => {
  const invoice = await knownInvoice(deps.settlement, invoiceId);
  if (!(await isBuyer(deps, invoice, basketId, actor)))
    throw new Rejection('not-yours', 'This invoice belongs to another customer.');
  return invoice;
};

/** With the basket that follows, whether or not it exists yet: an add that arrives meanwhile goes there too. */
export const paidInvoice = (
  { keyedHash }: Pick<OwnInvoiceDeps, 'keyedHash'>,
  invoiceId: string,
  invoice: KnownInvoice,
  position: number,
): Paid => {
  const { basketId } = invoice.content;
  const next = basketId === null ? null : nextBasketId(basketId, keyedHash);
  return { invoiceId, invoice, nextBasketId: next, position };
};
