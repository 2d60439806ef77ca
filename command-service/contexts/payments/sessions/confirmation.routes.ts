import { metaOf } from '#command/engine/request-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { invoiceParams } from '#contracts/checkout.contract.ts';
import { confirmationResponse as response } from '#contracts/confirmation.contract.ts';
import { ok, route, visitor, type Route } from '#http/route.ts';
import type { Actor } from '#kernel/event.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isKnown, type KnownInvoice } from '../../invoices/invoice.state.ts';
import { hasConfirmation } from './confirmation-mark.ts';
import { confirmationResponse, type ConfirmationSources } from './confirmation.response.ts';
import { isBuyer, isNextBasket, type OwnInvoiceDeps } from '../charging/own-invoice.ts';

export interface ConfirmationRouteDeps
  extends ConfirmationSources, OwnInvoiceDeps, Pick<CommandDeps, 'clock' | 'settings' | 'apis'> {}

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

/**
 * What a buyer is shown after an order. Strangers learn nothing, not even whether there is such an invoice. Answered
 * from the invoice's own stream: it is right in the moment after the payment.
 */
export const confirmationRoutes = (deps: ConfirmationRouteDeps): readonly Route[] => [
  route({
    base: 'checkout',
    service: 'command',
    caller: visitor,
    file: import.meta.url,
    method: 'GET',
    path: '/confirmation/{invoiceId}',
    summary: 'An order as its buyer is shown it',
    schemas: { params: invoiceParams },
    response,
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
  }),
];
