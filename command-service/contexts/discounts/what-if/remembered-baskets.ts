import type { Recorded } from '#kernel/event.ts';
import { nothingRemembered, remember, type RememberedBasket } from './remembered-basket.ts';

/** As many as were changed last; of others that are bought after all the stream is read. */
const MOST_BASKETS = 50_000;

export const createRememberedBaskets = (most = MOST_BASKETS) => {
  /** Those that changed last are at the end. */
  const baskets = new Map<string, RememberedBasket>();
  const put = (id: string, basket: RememberedBasket): void => {
    baskets.delete(id);
    baskets.set(id, basket);
    if (baskets.size <= most) return;
    const [oldest] = baskets.keys();
    if (oldest !== undefined) baskets.delete(oldest);
  };
  const get = (id: string): RememberedBasket => baskets.get(id) ?? nothingRemembered;
  return {
    get,
    /** Whether every event of it was taken. */
    isWhole: (id: string): boolean => get(id).isWhole,
    take: (id: string, event: Recorded): void => {
      const basket = remember(get(id), event);
      put(id, event.revision === 0 ? { ...basket, isWhole: true } : basket);
    },
    /** All that its stream says, up to the event that comes next. */
    recall: (id: string, events: readonly Recorded[]): void =>
      put(id, { ...events.reduce(remember, nothingRemembered), isWhole: true }),
    /** Bought, or forgotten. */
    drop: (id: string): void => void baskets.delete(id),
  };
};
