import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { Actor } from '#kernel/event.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { Buyer } from '../checkout/checkout.commands.ts';
import { checkoutStream } from '../checkout/checkout.stream.ts';
import { isKnown, type InvoiceState } from '../invoices/invoice.state.ts';
import { paidInvoice, type OwnInvoiceDeps, type Paid } from './charging/own-invoice.ts';
import { saveForOf, type ConsentFrom, type WishToSave } from './charging/save-method.ts';
import { methodOf, providerOf } from './providers/offered-methods.ts';
import { payableNow, sessionKindOf, type ChosenWay, type SessionPages } from './sessions/start-session.ts';

export interface BeginOrderDeps extends OwnInvoiceDeps, Pick<CommandDeps, 'streams' | 'clock' | 'settings'> {
  /** Closes, in the background, what is still open of an invoice at its providers. */
  readonly voidSessions: (invoiceId: string, meta: CommandMeta) => void;
  /** The providers that the buyer is offered, in the order in which they are listed. */
  readonly providers: () => readonly PaymentProvider[];
}

/** What the shopper wants to pay with; the provider's first method where none is named. */
export interface ChosenMethod {
  readonly providerAlias: string;
  readonly methodAlias?: string | null | undefined;
}

export const chosen = (
  { providers }: Pick<BeginOrderDeps, 'providers'>,
  { providerAlias, methodAlias }: ChosenMethod,
) => {
  const provider = providerOf(providers(), providerAlias);
  return { provider, method: methodOf(provider, methodAlias) };
};

/** Where the payer goes on, and for whom the method is kept that they pay with there. */
export const chosenWay = async (
  deps: BeginOrderDeps,
  choice: ChosenMethod & WishToSave & ConsentFrom,
  actor: Actor,
) => {
  const way = chosen(deps, choice);
  const saveFor = sessionKindOf(way) && (await saveForOf(deps, way.provider, choice, actor));
  return { ...way, saveFor };
};

export const isOnAccount = ({ direct }: PaymentProvider): boolean => direct?.kind === 'account';

/** The invoice that a basket was ordered with before, as this process knows it. */
const invoiceOfBasket = async (
  { streams }: BeginOrderDeps,
  basketId: string | null,
): Promise<string | null> =>
  basketId === null
    ? null
    : ((await streams.recall(checkoutStream, basketId)).state.order?.invoiceId ?? null);

/** A session says where its payer goes on; a form, whose bank may want to see them, leaves it to the invoice. */
export const choosePages = async (
  { settlement }: BeginOrderDeps,
  invoiceId: string,
  way: ChosenWay,
  { returnUrl, cancelUrl }: SessionPages,
  meta: CommandMeta,
): Promise<number> => {
  if (sessionKindOf(way) !== null || !way.provider.charge) return 0;
  const chosenPages = { type: 'ChoosePaymentPages', returnUrl, cancelUrl } as const;
  return (await settlement.record(invoiceId, chosenPages, meta)).position;
};

/** An order whose payment can be begun, or that cost nothing. */
export interface BegunOrder {
  readonly invoiceId: string;
  readonly invoice: InvoiceState;
  readonly paid: Paid | null;
  readonly position: number;
}

/** From a basket to an invoice that can be paid in the chosen way. Errors: those of checkout, and of a payment. */
export const beginOrder = async (
  deps: BeginOrderDeps,
  basketId: string | null,
  way: ChosenWay,
  pages: SessionPages,
  buyer: Buyer,
  meta: CommandMeta,
): Promise<BegunOrder> => {
  const { returnUrl, cancelUrl } = pages;
  const wanted = { ...buyer, pages: { returnUrl, cancelUrl }, isOnAccount: isOnAccount(way.provider) };
  const before = await invoiceOfBasket(deps, basketId);
  const placed = await deps.apis.checkout.placeOrder(basketId, wanted, meta);
  const { invoiceId } = placed;
  if (before !== null && before !== invoiceId) deps.voidSessions(before, stepMeta(meta));
  const { recall, load, settle } = deps.settlement;
  const invoice = await (placed.isNew ? recall(invoiceId) : load(invoiceId));
  if (isKnown(invoice) && invoice.balance.paymentStatus === 'Paid') {
    const position = await settle(invoiceId, meta);
    return { invoiceId, invoice, paid: paidInvoice(deps, invoiceId, invoice, position), position };
  }
  if (!placed.isNew) await payableNow(deps, invoiceId);
  const reached = placed.isNew ? 0 : await choosePages(deps, invoiceId, way, pages, stepMeta(meta));
  return { invoiceId, invoice, paid: null, position: Math.max(placed.position, reached) };
};
