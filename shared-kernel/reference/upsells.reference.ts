import type { UpsellRuleEvent } from '#entities/upsell-rule.entity.ts';
import { changesAt } from '#values/dated-status.ts';
import { idOf } from '#values/stream-name.ts';
import type { ReferenceUpsell, UpsellReference } from './reference.ts';
import type { Fold, ReferencePart } from './reference-part.ts';
import { createSchedule } from './schedule.ts';
import { SlicedEntries } from './sliced-entries.ts';
import { createUpsellIndex } from './upsell-index.ts';

/** Upsell rules by id, and by what triggers them. */
export const createUpsellReference = (): UpsellReference & ReferencePart => {
  const entries = new SlicedEntries<ReferenceUpsell>();
  const index = createUpsellIndex();
  const changing = createSchedule();

  const put = (upsell: ReferenceUpsell): void => {
    entries.set(upsell.id, upsell);
    index.put(upsell);
    const at = changesAt(upsell.rule, upsell.status);
    if (at === null) changing.remove(upsell.id);
    else changing.set(upsell.id, at);
  };
  const change = (stream: string, changes: Partial<ReferenceUpsell>): void => {
    const known = entries.get(idOf(stream));
    if (known) put({ ...known, ...changes });
  };

  const on: Fold<UpsellRuleEvent> = {
    UpsellRuleCreated: ({ stream, data: { rule, status } }) => put({ id: idOf(stream), rule, status }),
    UpsellRuleChanged: ({ stream, data: { rule, status } }) => change(stream, { rule, status }),
    UpsellRuleActivated: ({ stream, data: { status } }) => change(stream, { status }),
    UpsellRuleDeactivated: ({ stream }) => change(stream, { status: 'Disabled' }),
    UpsellRuleExpired: ({ stream }) => change(stream, { status: 'Expired' }),
    UpsellRuleDeleted: ({ stream }) => {
      const id = idOf(stream);
      entries.delete(id);
      index.remove(id);
      changing.remove(id);
    },
  };

  return {
    byId: (id) => entries.get(id),
    any: () => entries.size > 0,
    candidates: index.candidates,
    addsByItself: index.addsByItself,
    asksWhoBuys: index.asksWhoBuys,
    offersAfterwards: index.offersAfterwards,
    changing: changing.due,
    name: 'upsells',
    version: 1,
    on,
    entries,
    restore: (kept) => {
      for (const [, upsell] of kept) put(upsell as ReferenceUpsell);
    },
    clear: () => {
      index.clear();
      changing.clear();
    },
  };
};
