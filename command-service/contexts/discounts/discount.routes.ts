import type { Saved } from '#command/engine/entity.actions.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import { metaOf } from '#command/engine/request-meta.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { discount, type Discount } from '#entities/discount.entity.ts';
import { admin, ok, route, type Route } from '#http/route.ts';
import type { SwitchDiscount } from './discount.decider.ts';

export interface DiscountRouteDeps {
  readonly send: (id: string, command: SwitchDiscount, meta: CommandMeta) => Promise<Saved<Discount>>;
  readonly show: (saved: Saved<Discount>) => object;
}

const switches = [
  { verb: 'activate', summary: 'Switch a discount on', type: 'ActivateDiscount' },
  { verb: 'deactivate', summary: 'Switch a discount off', type: 'DeactivateDiscount' },
] as const;

/** Discounts are switched on and off (docs/rules/discounts.md#status); the rest is as with every managed thing. */
export const discountRoutes = ({ send, show }: DiscountRouteDeps): readonly Route[] =>
  switches.map(({ verb, summary, type }) =>
    route({
      base: 'management',
      service: 'command',
      caller: admin,
      file: import.meta.url,
      method: 'POST',
      path: `${discount.path}/{id}/${verb}`,
      summary,
      schemas: { params: entityParams },
      answer: discount.answer,
      errors: ['entity-not-found'],
      handle: async (request) => {
        const saved = await send(request.params.id, { type }, metaOf(request));
        return ok(show(saved), { position: saved.position });
      },
    }),
  );
