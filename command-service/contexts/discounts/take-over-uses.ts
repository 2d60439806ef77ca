import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { Discount } from '#entities/discount.entity.ts';
import { MAX_PAGE, type StoredEvent } from '#ports/event-store.ts';
import { categoryOf, idOf } from '#values/stream-name.ts';
import { customerUsageId, type TakeOverDiscountUses } from './discount-usage.commands.ts';
import { discountUsageStream } from './discount-usage.stream.ts';

type Deps = Pick<CommandDeps, 'store' | 'streams'>;

/** An invoice with the discount that stands, sold or not. */
interface CountedUse {
  readonly position: number;
  readonly basketId: string;
  readonly placementId: string;
  readonly customerId: string | null;
  readonly isConfirmed: boolean;
}

/** Of the events that are read here, what is read; none of it is personal. */
interface Told {
  readonly placementId: string;
  readonly isOfSale?: boolean;
  readonly difference?: {
    readonly discounts: readonly { readonly discountId: string; readonly uses: number }[];
  };
  readonly content: {
    readonly basketId: string | null;
    readonly customerId: string | null;
    readonly discounts: readonly { readonly discountId: string }[];
  };
}

type Limits = Pick<Discount, 'totalUsageLimit' | 'perCustomerUsageLimit'>;

const isLimited = ({ totalUsageLimit, perCustomerUsageLimit }: Limits): boolean =>
  totalUsageLimit !== null || perCustomerUsageLimit !== null;

/** Whether unclaimed uses count from now on: in total, or per customer. */
const gainsLimit = (before: Limits, now: Limits): boolean =>
  (!isLimited(before) && isLimited(now)) ||
  (before.perCustomerUsageLimit === null && now.perCustomerUsageLimit !== null);

/** Also where it has gained one and the shop stopped before all was taken over. */
export const hasUsesToTakeOver = async (
  { streams }: Deps,
  discountId: string,
  { before, now }: { readonly before: Limits; readonly now: Limits },
): Promise<boolean> =>
  gainsLimit(before, now) ||
  (isLimited(now) && (await streams.load(discountUsageStream, discountId)).state.isTakingOver);

const closing = new Set(['InvoiceSuperseded', 'InvoiceCancelled', 'InvoiceDeleted', 'InvoiceVoided']);

/** Collects from the log, event by event, the invoices whose use of a discount counts, and what has been claimed. */
const createCollector = (discountId: string) => {
  const counted = new Map<string, CountedUse>();
  /** Counter and placement. */
  const claimed = new Set<string>();

  const take = ({ type, stream, data, position }: StoredEvent): void => {
    const id = idOf(stream);
    if (type === 'InvoiceCreated' && data.includes(discountId)) {
      const { placementId, content } = JSON.parse(data) as Told;
      const { basketId, customerId, discounts } = content;
      if (basketId !== null && discounts.some((taken) => taken.discountId === discountId))
        counted.set(id, { position, basketId, placementId, customerId, isConfirmed: false });
    } else if (type === 'SaleConfirmed') {
      const known = counted.get(id);
      if (known) counted.set(id, { ...known, isConfirmed: true });
    } else if (type === 'InvoiceEdited' && data.includes(discountId)) {
      const { placementId, content, isOfSale: isConfirmed = false, difference } = JSON.parse(data) as Told;
      const uses = difference?.discounts.find((one) => one.discountId === discountId)?.uses ?? 0;
      const { customerId, basketId } = content;
      if (uses < 0) counted.delete(id);
      if (uses > 0)
        counted.set(id, { position, basketId: basketId ?? id, placementId, customerId, isConfirmed });
    } else if (closing.has(type)) {
      counted.delete(id);
    } else if (
      type === 'DiscountUseClaimed' &&
      categoryOf(stream) === 'discountUsage' &&
      data.includes(discountId)
    )
      claimed.add(`${id} ${(JSON.parse(data) as Told).placementId}`);
  };

  return {
    take,
    /** Those of which a counter does not know, placed after what it has taken over before. */
    unknownTo: (counter: string, after: number): readonly CountedUse[] =>
      [...counted.values()].filter(
        ({ position, placementId }) => position > after && !claimed.has(`${counter} ${placementId}`),
      ),
  };
};

type Collected = ReturnType<typeof createCollector>;

const collect = async ({ store }: Deps, discountId: string, after: number, through: number) => {
  const collector = createCollector(discountId);
  for (let position = after; position < through;) {
    const page = await store.readAll(position, MAX_PAGE);
    for (const event of page) if (event.position <= through) collector.take(event);
    position = page.at(-1)?.position ?? through;
  }
  return collector;
};

const commandFor = (
  discountId: string,
  uses: readonly CountedUse[],
  marks: Pick<TakeOverDiscountUses, 'after' | 'through' | 'perCustomer' | 'isLast'>,
): TakeOverDiscountUses => ({
  type: 'TakeOverDiscountUses',
  discountId,
  ...marks,
  settled: uses.filter(({ isConfirmed }) => isConfirmed).length,
  open: uses.flatMap(({ isConfirmed, basketId, placementId }) =>
    isConfirmed ? [] : [{ basketId, placementId }],
  ),
});

const takeOverOfCustomers = async (
  { streams }: Deps,
  discountId: string,
  { collected, after, through }: { collected: Collected; after: number; through: number },
  meta: CommandMeta,
): Promise<void> => {
  const customers = new Set(collected.unknownTo('', after).flatMap(({ customerId }) => customerId ?? []));
  for (const customerId of customers) {
    const counter = customerUsageId(discountId, customerId);
    const { takenThrough } = (await streams.load(discountUsageStream, counter)).state;
    const own = collected.unknownTo(counter, takenThrough).filter((one) => one.customerId === customerId);
    if (own.length === 0) continue;
    const command = commandFor(discountId, own, {
      after: takenThrough,
      through,
      perCustomer: false,
      isLast: true,
    });
    await streams.send(discountUsageStream, counter, command, meta, { isProcessStep: true });
  }
};

/**
 * Counts uses of invoices that were placed while a rule had no limit (docs/rules/discounts.md#uses). Each counter knows
 * up to where it has taken over, the rule's own as the last one: a run that was killed is done again, and so is one
 * that was done. Returns the position of the rule's own.
 */
export const takeOverUses = async (
  deps: Deps,
  discountId: string,
  { perCustomer, isLast }: Pick<TakeOverDiscountUses, 'perCustomer' | 'isLast'>,
  meta: CommandMeta,
): Promise<number> => {
  const { state } = await deps.streams.load(discountUsageStream, discountId);
  const { takenThrough, customersTakenThrough } = state;
  const from = perCustomer ? Math.min(takenThrough, customersTakenThrough) : takenThrough;
  const through = await deps.store.head();
  const collected = await collect(deps, discountId, from, through);
  if (perCustomer)
    await takeOverOfCustomers(deps, discountId, { collected, after: customersTakenThrough, through }, meta);
  const uses = collected.unknownTo(discountId, takenThrough);
  const command = commandFor(discountId, uses, { after: takenThrough, through, perCustomer, isLast });
  const step = { isProcessStep: true };
  return (await deps.streams.send(discountUsageStream, discountId, command, meta, step)).position;
};
