import { metaOf } from '#command/engine/request-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { invoiceParams } from '#contracts/checkout.contract.ts';
import {
  confirmationResponse as response,
  linkedOrderResponse as linkedResponse,
  orderLinkQuery,
} from '#contracts/confirmation.contract.ts';
import { member, ok, route, visitor, type Route } from '#http/route.ts';
import type { Actor } from '#kernel/event.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { OrderLinks } from '#runtime/order-links.ts';
import { isKnown, type KnownInvoice } from '../../invoices/invoice.state.ts';
import { hasConfirmation } from './confirmation-mark.ts';
import {
  confirmationResponse,
  linkedOrderResponse,
  type ConfirmationSources,
} from './confirmation.response.ts';
import { isBuyer, isNextBasket, type OwnInvoiceDeps } from '../charging/own-invoice.ts';

export interface ConfirmationRouteDeps
  extends ConfirmationSources, OwnInvoiceDeps, Pick<CommandDeps, 'clock' | 'settings' | 'apis'> {
  readonly orderLinks: Pick<OrderLinks, 'isKeyOf'>;
}

/** The next basket's cookie shows the order for as long as the confirmation's own would, the bought one's for good. */
const isTooLate = (deps: ConfirmationRouteDeps, invoice: KnownInvoice, basketId: string | null): boolean => {
  const { boughtAt } = invoice;
  if (boughtAt === null || !isNextBasket(deps, invoice, basketId)) return false;
  return deps.clock.now() >= Date.parse(boughtAt) + deps.settings().confirmationCookieHours * 3_600_000;
};

/** Whether a caller without the confirmation's cookie may see it. */
const isShownTo = (
  deps: ConfirmationRouteDeps,
  invoice: KnownInvoice,
  basketId: string | null,
  actor: Actor,
): Promise<boolean> => isBuyer(deps, invoice, isTooLate(deps, invoice, basketId) ? null : basketId, actor);

/** Answered from the invoice's own stream: it is right in the moment after the payment. */
const common = { service: 'command', method: 'GET', file: import.meta.url } as const;

/** What a buyer is shown after an order. Strangers learn nothing, not even whether there is such an invoice. */
const confirmationRoute = (deps: ConfirmationRouteDeps): Route =>
  route({
    ...common,
    response,
    base: 'checkout',
    caller: visitor,
    path: '/confirmation/{invoiceId}',
    summary: 'An order as its buyer is shown it',
    schemas: { params: invoiceParams },
    errors: ['not-yours', 'invoice-not-found'],
    handle: async (request) => {
      const { invoiceId } = request.params;
      const hasPaid = hasConfirmation(deps, request.cookies, invoiceId);
      const invoice = await deps.settlement.load(invoiceId);
      const isTheirs =
        hasPaid ||
        (isKnown(invoice) && (await isShownTo(deps, invoice, request.basketId, metaOf(request).actor)));
      if (!isTheirs) throw new Rejection('not-yours', 'This order belongs to another customer.');
      if (!isKnown(invoice) || invoice.status === 'deleted')
        throw new Rejection('invoice-not-found', 'There is no such invoice.');
      const downloads = await deps.apis.downloads.shownOn(invoice);
      return ok(confirmationResponse(invoiceId, invoice, downloads, deps));
    },
  });

/** The same in a member's account (docs/rules/account.md#orders): an order of anyone else is none. */
const accountOrderRoute = (deps: ConfirmationRouteDeps): Route =>
  route({
    ...common,
    response,
    base: 'account',
    caller: member,
    path: '/orders/{invoiceId}',
    summary: 'An order of the member, with what was sent, given back and may be downloaded',
    schemas: { params: invoiceParams },
    errors: ['invoice-not-found'],
    handle: async ({ params: { invoiceId }, actor }) => {
      const invoice = await deps.settlement.load(invoiceId);
      const isShown =
        isKnown(invoice) && invoice.status !== 'deleted' && (await isBuyer(deps, invoice, null, actor));
      if (!isShown) throw new Rejection('invoice-not-found', 'There is no such order.');
      const downloads = await deps.apis.downloads.allOf(invoice);
      return ok(confirmationResponse(invoiceId, invoice, downloads, deps));
    },
  });

/** What an agent gives its buyer. A wrong key, and no such order, are the same. */
const linkedOrderRoute = (deps: ConfirmationRouteDeps): Route =>
  route({
    ...common,
    response: linkedResponse,
    base: 'storefront',
    caller: visitor,
    path: '/orders/{invoiceId}',
    summary: 'An order as whoever has its link is shown it: nothing in it is personal',
    schemas: { params: invoiceParams, query: orderLinkQuery },
    errors: ['invoice-not-found'],
    handle: async ({ params: { invoiceId }, query: { key } }) => {
      const invoice = deps.orderLinks.isKeyOf(key, invoiceId) ? await deps.settlement.load(invoiceId) : null;
      if (invoice === null || !isKnown(invoice) || invoice.status === 'deleted')
        throw new Rejection('invoice-not-found', 'There is no such order.');
      return ok(linkedOrderResponse(invoiceId, invoice));
    },
  });

export const confirmationRoutes = (deps: ConfirmationRouteDeps): readonly Route[] => [
  confirmationRoute(deps),
  accountOrderRoute(deps),
  linkedOrderRoute(deps),
];
