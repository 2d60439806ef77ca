import type { DiscountEvent, DiscountUsageEvent } from '#events/discount.events.ts';
import type { Recorded } from '#kernel/event.ts';
import { idOf } from '#values/stream-name.ts';
import type { DiscountReference, ReferenceDiscount } from './reference.ts';
import type { ReferencePart } from './reference-part.ts';

const codeKey = (code: string): string => code.trim().toUpperCase();

const isOffered = ({ rule, status }: ReferenceDiscount): boolean =>
  rule.method === 'Automatic' && (status === 'Active' || status === 'Scheduled');

/** The discount after the event; null when there is none. */
const after = (
  known: ReferenceDiscount | undefined,
  event: DiscountEvent | DiscountUsageEvent,
  id: string,
): ReferenceDiscount | null => {
  if (event.type === 'DiscountCreated') {
    return { id, rule: event.data.rule, status: event.data.status, uses: known?.uses ?? 0 };
  }
  if (!known) return null;
  switch (event.type) {
    case 'DiscountChanged':
      return { ...known, rule: event.data.rule, status: event.data.status };
    case 'DiscountActivated':
      return { ...known, status: event.data.status };
    case 'DiscountDeactivated':
      return { ...known, status: 'Disabled' };
    case 'DiscountUseClaimed':
    case 'DiscountUseReleased':
      return { ...known, uses: event.data.uses };
    case 'DiscountDeleted':
      return null;
  }
};

const eventTypes = [
  'DiscountCreated',
  'DiscountChanged',
  'DiscountActivated',
  'DiscountDeactivated',
  'DiscountDeleted',
  'DiscountUseClaimed',
  'DiscountUseReleased',
];

/** Discount rules by id and by code, with the number of uses so far. */
export const createDiscountReference = (): DiscountReference & ReferencePart => {
  const discounts = new Map<string, ReferenceDiscount>();
  const byCode = new Map<string, string>();
  /** Worked out when first asked for after a change. */
  let automatic: readonly ReferenceDiscount[] | null = null;

  const forgetCode = (id: string): void => {
    const code = discounts.get(id)?.rule.code;
    if (code && byCode.get(codeKey(code)) === id) byCode.delete(codeKey(code));
  };

  const put = (discount: ReferenceDiscount): void => {
    forgetCode(discount.id);
    discounts.set(discount.id, discount);
    const { code } = discount.rule;
    if (code !== null) byCode.set(codeKey(code), discount.id);
    automatic = null;
  };

  const remove = (id: string): void => {
    forgetCode(id);
    discounts.delete(id);
    automatic = null;
  };

  const apply = (event: Recorded<DiscountEvent | DiscountUsageEvent>): void => {
    const id = idOf(event.stream);
    const next = after(discounts.get(id), event, id);
    if (next) put(next);
    else remove(id);
  };

  return {
    byCode: (code) => {
      const id = byCode.get(codeKey(code));
      return id === undefined ? undefined : discounts.get(id);
    },
    byId: (id) => discounts.get(id),
    automatic: () =>
      (automatic ??= [...discounts.values()]
        .filter(isOffered)
        .sort((a, b) => a.rule.priority - b.rule.priority)),
    name: 'discounts',
    version: 1,
    eventTypes,
    apply: (event) => apply(event as Recorded<DiscountEvent | DiscountUsageEvent>),
    snapshot: (): readonly ReferenceDiscount[] => [...discounts.values()],
    restore: (snapshot) => {
      discounts.clear();
      byCode.clear();
      automatic = null;
      for (const discount of snapshot as readonly ReferenceDiscount[]) put(discount);
    },
  };
};
