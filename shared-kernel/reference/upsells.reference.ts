import type { UpsellRuleEvent } from '#entities/upsell-rule.entity.ts';
import { idOf } from '#values/stream-name.ts';
import { createDatedEntries } from './dated-entries.ts';
import type { ReferenceUpsell, UpsellReference } from './reference.ts';
import type { Fold, ReferencePart } from './reference-part.ts';
import { createUpsellIndex } from './upsell-index.ts';

/** Upsell rules by id, and by what triggers them. */
export const createUpsellReference = (): UpsellReference & ReferencePart => {
  const index = createUpsellIndex();
  const { entries, put, change, remove, kept } = createDatedEntries<ReferenceUpsell>({
    ...index,
    remove: ({ id }) => index.remove(id),
  });
  const on: Fold<UpsellRuleEvent> = {
    UpsellRuleCreated: ({ stream, data: { rule, status } }) => put({ id: idOf(stream), rule, status }),
    UpsellRuleChanged: ({ stream, data: { rule, status } }) => change(stream, { rule, status }),
    UpsellRuleActivated: ({ stream, data: { status } }) => change(stream, { status }),
    UpsellRuleDeactivated: ({ stream }) => change(stream, { status: 'Disabled' }),
    UpsellRuleExpired: ({ stream }) => change(stream, { status: 'Expired' }),
    UpsellRuleDeleted: ({ stream }) => remove(stream),
  };

  return {
    ...kept,
    any: () => entries.size > 0,
    candidates: index.candidates,
    addsByItself: index.addsByItself,
    asksWhoBuys: index.asksWhoBuys,
    offersAfterwards: index.offersAfterwards,
    name: 'upsells',
    version: 1,
    on,
  };
};
