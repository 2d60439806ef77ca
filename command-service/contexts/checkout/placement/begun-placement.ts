import { freezeInvoice, type FrozenGroup } from '#command/pricing/freeze-invoice.ts';
import type { ShippingPlan } from '#command/pricing/shipping-plan.ts';
import type { BasketView } from '#events/basket-view.ts';
import {
  checkoutEvents,
  type CheckoutEvent,
  type ShippingChoice,
  type StockHold,
} from '#events/checkout.events.ts';
import type { InvoiceContent } from '#events/invoice.fields.ts';
import type { ShownUpsell } from '#events/upsell.shapes.ts';
import { defined } from '#kernel/defined.ts';
import type { EventOfType } from '#kernel/event.ts';
import { Rejection } from '#kernel/rejection.ts';
import { dueDateOf } from '#values/account-terms.ts';
import { agentSource } from '#values/agent-source.ts';
import {
  holdsOf,
  type BasketState,
  type BasketStreamEvent,
  type EditableBasket,
} from '../../basket/basket.state.ts';
import type { CustomerAccount } from '../../customers/customer.commands.ts';
import type { StartPlacement } from '../checkout.commands.ts';
import type { CheckoutContext } from '../checkout.context.ts';
import { holdEndOf } from './large-hold.ts';

const { OrderPlacementStarted } = checkoutEvents.create;

/** Of the signed-in customer: giving a customer's e-mail address opens nothing of theirs. */
export const accountOf = (
  { customerId, emailCustomerId }: BasketView,
  { account }: StartPlacement,
): CustomerAccount | null =>
  account && account.customerId === customerId && customerId === emailCustomerId ? account : null;

const frozenGroups = (basket: BasketView, plan: ShippingPlan): FrozenGroup[] =>
  plan.groups.flatMap(({ groupId, warehouseId, lines }) => {
    const choice: ShippingChoice | undefined = basket.choices.find((made) => made.groupId === groupId);
    return choice ? [{ groupId, warehouseId, lines, choice }] : [];
  });

/** What the basket will hold in all, and rows of 0 for what an older placement holds and this one does not need. */
const holdsFor = (state: BasketState, plan: ShippingPlan): StockHold[] => {
  const trimmed = holdsOf(state)
    .filter(
      (old) =>
        !plan.holds.some((hold) => hold.productId === old.productId && hold.warehouseId === old.warehouseId),
    )
    .map(({ productId, warehouseId }) => ({ productId, warehouseId, quantity: 0 }));
  return [...plan.holds, ...trimmed];
};

type DiscountClaim = EventOfType<CheckoutEvent, 'OrderPlacementStarted'>['data']['discountClaims'][number];

/** A use of each rule that has a limit, with all that it takes off; what has none claims nothing. */
const claimsOf = (
  { discounts }: BasketView,
  customerId: string | null,
  { isLimited, isLimitedPerCustomer }: CheckoutContext,
) => {
  const claims = new Map<string, DiscountClaim>();
  for (const { discountId, code, amount } of discounts) {
    if (!isLimited(discountId)) continue;
    const claimed = claims.get(discountId)?.amount ?? 0;
    const isPerCustomer = customerId !== null && isLimitedPerCustomer(discountId);
    const perCustomer = isPerCustomer ? { perCustomer: true as const } : {};
    claims.set(discountId, { discountId, code, amount: claimed + amount, ...perCustomer });
  }
  return [...claims.values()];
};

/** Uses of a customer that the last order claimed: of a rule that is off the basket, or of another customer. */
const customerReleasesOf = (
  { order }: EditableBasket,
  claims: readonly DiscountClaim[],
  customerId: string | null,
  { isLimitedPerCustomer }: CheckoutContext,
) => {
  if (order === null || order.customerId === null) return [];
  const { customerId: before, customerClaims, discountIds } = order;
  const claimed = new Set([
    ...(customerClaims?.discountIds ?? []),
    ...discountIds.filter(isLimitedPerCustomer),
  ]);
  const isStill = (id: string): boolean =>
    before === customerId && claims.some(({ discountId, perCustomer }) => perCustomer && discountId === id);
  return [...claimed].filter((id) => !isStill(id)).map((discountId) => ({ discountId, customerId: before }));
};

/** Uses that the last order has, and this one does not need: it has claimed them, or its rule has taken them over. */
const releasesOf = (
  { order }: EditableBasket,
  claims: readonly DiscountClaim[],
  { isLimited }: CheckoutContext,
): string[] =>
  (order?.discountIds ?? []).filter(
    (id) =>
      (order?.claimedDiscountIds.includes(id) || isLimited(id)) &&
      !claims.some(({ discountId }) => discountId === id),
  );

/** Amounts are counted exactly, in a weak currency too (docs/rules/pricing.md#largest-amount). */
const refuseInexact = ({ currency, amounts, orders }: InvoiceContent): void => {
  const costs = orders.flatMap(({ lines }) => lines.map(({ cost = 0 }) => cost));
  if ([...Object.values(amounts), ...costs].every(Number.isSafeInteger)) return;
  const message = `currency: in ${currency} this order is larger than can be counted. Choose another currency.`;
  throw new Rejection('amount-too-large', message, { field: 'currency' });
};

/**
 * What the basket was shown, limited to what is bought: the rest would never convert, and a shopper may browse all
 * day.
 */
const shownOf = (shown: readonly ShownUpsell[], { orders }: InvoiceContent): ShownUpsell[] => {
  const bought = new Set(orders.flatMap(({ lines }) => lines.map(({ productRootId }) => productRootId)));
  return shown
    .map((one) => ({ ...one, productRootIds: one.productRootIds.filter((id) => bought.has(id)) }))
    .filter(({ productRootIds }) => productRootIds.length > 0);
};

/** What an agent has begun is its sale, whoever pays (docs/rules/agent-hand-over.md#the-sale). */
const sourceOf = (
  { handOver }: EditableBasket,
  { source }: StartPlacement,
): InvoiceContent['source'] | undefined => {
  if (source !== undefined) return { ...source };
  const sessionId = handOver?.sessionId ?? null;
  return handOver && sessionId !== null ? agentSource({ ...handOver, sessionId }) : undefined;
};

/** What an order takes: a copy of everything that its invoice says, and what is to be claimed for it. */
export const started = (
  state: EditableBasket,
  command: StartPlacement,
  context: CheckoutContext,
  plan: ShippingPlan,
  customerId: string | null,
): BasketStreamEvent => {
  const { basket } = state;
  const { placementId, invoiceId, basketId, invoiceNumbersRevision, hasAcceptedTerms, openInvoices } =
    command;
  const account = accountOf(basket, command);
  const holds = holdsFor(state, plan);
  const isHeldForGood = account !== null || context.heldThere === null;
  const holdEndsAt = isHeldForGood ? null : holdEndOf(holds, context.heldThere);
  const frozen = freezeInvoice({
    placementId,
    basketId,
    basket,
    customerId,
    accountTerms: account && { dueDate: dueDateOf(context.now, account.paymentTermsDays) },
    groups: frozenGroups(basket, plan),
    costs: context.costs,
    collections: context.collections,
    termsAcceptedAt: hasAcceptedTerms ? context.now : null,
    createdAt: context.now,
    businessDay: context.businessDay,
    presentment: context.presentment,
    ...defined({ source: sourceOf(state, command) }),
    ruleOf: context.ruleOf,
  });
  refuseInexact(frozen);
  const { pages } = command;
  const placed = pages === undefined ? frozen : { ...frozen, pages: { ...pages } };
  const content = holdEndsAt === null ? placed : { ...placed, holdEndsAt };
  const shownUpsells = shownOf(command.shownUpsells ?? [], content);
  const discountClaims = claimsOf(basket, customerId, context);
  const discountReleases = releasesOf(state, discountClaims, context);
  const customerReleases = customerReleasesOf(state, discountClaims, customerId, context);
  return OrderPlacementStarted({
    placementId,
    turn: state.turns + 1,
    invoiceId,
    supersededInvoiceId: state.order?.invoiceId ?? null,
    invoiceNumbersRevision,
    holds,
    discountClaims,
    discountReleases,
    ...(customerReleases.length > 0 && { customerReleases }),
    content,
    ...(openInvoices && { openInvoices: { ...openInvoices } }),
    ...(shownUpsells.length > 0 && { shownUpsells }),
  });
};
