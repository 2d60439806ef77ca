import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import { createInstances } from '#command/engine/run-process.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { DiscountReference } from '#reference/reference.ts';
import type { PlacedOrder } from '../../basket/basket.state.ts';
import { checkoutStream } from '../../checkout/checkout.stream.ts';
import { isShownAsMade, usesOfEdits } from '../../invoices/order-desk/edits.state.ts';
import { expireInvoice, type OpenExpiry } from './expire-invoice.process.ts';
import { isAuthorized, isKnown, type InvoiceState, type KnownInvoice } from '../../invoices/invoice.state.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';
import { isExpired } from '../../invoices/unpaid-invoice.state.ts';

const hasExpired = (state: InvoiceState): state is KnownInvoice =>
  isKnown(state) && state.status === 'cancelled' && !state.isByStaff;

/** Uses that it claimed, and those counted for it when a discount gained a limit later. */
export const claimsOf = (
  order: PlacedOrder | null,
  { content: { discounts, customerId } }: KnownInvoice,
  { byId }: DiscountReference,
): Pick<OpenExpiry, 'discountIds' | 'customerClaims'> => {
  if (order === null) return { discountIds: [], customerClaims: null };
  const rules = [...new Set(discounts.map(({ discountId }) => discountId))].flatMap((id) => byId(id) ?? []);
  const perCustomer = rules.filter(({ rule }) => rule.perCustomerUsageLimit !== null).map(({ id }) => id);
  const limited = rules.filter(({ rule }) => rule.totalUsageLimit !== null).map(({ id }) => id);
  const { claimedDiscountIds, customerClaims } = order;
  const claimedFor = customerClaims?.customerId ?? customerId;
  const ofCustomer = new Set([...(customerClaims?.discountIds ?? []), ...perCustomer]);
  return {
    discountIds: [...new Set([...claimedDiscountIds, ...limited, ...perCustomer])],
    customerClaims:
      ofCustomer.size === 0 || claimedFor === null
        ? null
        : { customerId: claimedFor, discountIds: [...ofCustomer] },
  };
};

/** Stock rows of an edited invoice, which its basket does not know. */
const heldByEdits = ({ edits, content: { orders } }: KnownInvoice): OpenExpiry['holds'] =>
  edits === 0
    ? []
    : orders.flatMap(({ warehouseId, lines }) =>
        lines.flatMap(({ productId, quantity }) =>
          productId === null || warehouseId === null ? [] : [{ productId, warehouseId, quantity }],
        ),
      );

const inTime = { type: 'ExpireInvoice' } as const;

/** Expires unpaid invoices (docs/rules/checkout.md#unpaid-invoices). */
export const createExpiry = ({
  streams,
  clock,
  settings,
  reference,
  apis,
}: Pick<CommandDeps, 'streams' | 'clock' | 'settings' | 'reference' | 'apis'>) => {
  // No lease: concurrent drivers of one instance are harmless, and the job has thousands.
  const instances = createInstances({ process: expireInvoice, streams });

  const load = async (invoiceId: string): Promise<InvoiceState> =>
    (await streams.load(invoiceStream, invoiceId)).state;

  const open = async (invoiceId: string, invoice: InvoiceState): Promise<OpenExpiry | null> => {
    if (!hasExpired(invoice)) return null;
    const { placementId, content } = invoice;
    const { basketId, customerId } = content;
    if (basketId === null) return null;
    const { state } = await streams.load(checkoutStream, basketId);
    // Its placement is still open and may reserve again: what it holds is released once it has ended.
    if (state.placement?.invoiceId === invoiceId) return null;
    // A newer invoice of the basket may have taken over what this one held.
    const order = state.order?.invoiceId === invoiceId ? state.order : null;
    return {
      invoiceId,
      basketId,
      customerId,
      placementId,
      holds: [...(order?.holds ?? []), ...heldByEdits(invoice)],
      usesOfEdits: usesOfEdits(content),
      ...claimsOf(order, invoice, reference.discounts),
    };
  };

  const giveBack = async (invoiceId: string, invoice: InvoiceState, meta: CommandMeta): Promise<void> => {
    await instances.run(invoiceId, meta, () => open(invoiceId, invoice));
  };

  /** Open pages must no longer take payment; after a crash here the runner continues. */
  const follow = async (invoiceId: string, state: InvoiceState, meta: CommandMeta): Promise<boolean> => {
    if (!hasExpired(state)) return false;
    if (state.sessionsToVoid.length > 0) apis.payments.voidSessions(invoiceId, stepMeta(meta));
    await giveBack(invoiceId, state, meta);
    return true;
  };

  /** False if the invoice has not expired. Errors: `EngineUnavailable` and conflicts, after which it is resumed. */
  const expire = async (invoiceId: string, meta: CommandMeta): Promise<boolean> => {
    const { state } = await streams.send(invoiceStream, invoiceId, inTime, meta, { isProcessStep: true });
    return follow(invoiceId, state, meta);
  };

  /** Releases what an expired invoice still holds; no effect on any other. */
  const resume = async (invoiceId: string, meta: CommandMeta): Promise<void> =>
    giveBack(invoiceId, await load(invoiceId), meta);

  return {
    expire,
    resume,
    giveUp: async (invoiceId: string, meta: CommandMeta): Promise<void> => {
      const { state } = await streams.send(invoiceStream, invoiceId, { type: 'GiveUpInvoice' }, meta);
      await follow(invoiceId, state, meta);
    },
    /** Closes an expired invoice, whether or not the job has run. */
    expireIfDue: async (invoiceId: string, meta: CommandMeta): Promise<{ readonly isAsMade: boolean }> => {
      const invoice = await load(invoiceId);
      if (invoice.status === 'cancelled') await giveBack(invoiceId, invoice, meta);
      else if (isExpired(invoice, clock.now(), settings())) await expire(invoiceId, meta);
      const hasMoney = isKnown(invoice) && (invoice.payments.length > 0 || isAuthorized(invoice));
      return { isAsMade: !isKnown(invoice) || hasMoney || isShownAsMade(invoice) };
    },
    drain: () => instances.drain(),
  };
};

export type Expiry = ReturnType<typeof createExpiry>;
