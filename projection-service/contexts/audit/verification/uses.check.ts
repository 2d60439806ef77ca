import { discountUsageEvents, type DiscountUsageEvent } from '#events/discount-usage.events.ts';
import type { Recorded } from '#kernel/event.ts';
import { LevelFold, numberIn, textIn } from './level-fold.ts';
import { placeOf, type CreateLogCheck } from './log-check.ts';

const eventTypes: ReadonlySet<string> = new Set(discountUsageEvents.definitions.map(({ type }) => type));

const openIn = (data: unknown): readonly unknown[] => {
  const open = (data as { readonly open?: unknown } | null)?.open;
  return Array.isArray(open) ? open : [];
};

/** Uses that are claimed and not settled or released yet: few at any time, however many there have been. */
class OpenUses {
  readonly #open = new Set<string>();

  /**
   * How the event may change the number of uses. Of a basket that holds none open, a release gives back a settled use,
   * or only notes that its placement is over.
   */
  changesBy({ type, stream, data }: Recorded): readonly number[] {
    const use = `${stream} ${textIn(data, 'basketId')}`;
    switch (type as DiscountUsageEvent['type']) {
      case 'DiscountUseClaimed': {
        const isHeld = this.#open.has(use);
        this.#open.add(use);
        return [isHeld ? 0 : 1];
      }
      case 'DiscountUseReleased':
        return this.#open.delete(use) ? [-1] : [0, -1];
      case 'DiscountUseSettled':
        this.#open.delete(use);
        return [0];
      case 'DiscountUsesTakenOver': {
        const open = openIn(data);
        for (const one of open) this.#open.add(`${stream} ${textIn(one, 'basketId')}`);
        return [numberIn(data, 'settled') + open.length];
      }
    }
  }
}

/** The uses of a discount with a limit are what the events of its stream add up to, event by event. */
export const usesCheck: CreateLogCheck = (report) => {
  const uses = new LevelFold([0]);
  const open = new OpenUses();
  return {
    name: 'uses',
    eventTypes,
    take: (event) => {
      const changes = open.changesBy(event);
      const stated = numberIn(event.data, 'uses');
      const expected = uses.take(event.stream, [stated], ([before = 0]) =>
        changes.map((change) => [before + change]),
      );
      if (expected)
        report({
          ...placeOf(event),
          found: `${event.type} says ${stated} uses`,
          expected: `${expected[0]} uses, as the events of the stream add up`,
        });
    },
  };
};
