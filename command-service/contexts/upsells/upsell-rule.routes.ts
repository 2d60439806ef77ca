import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { Saved } from '#command/engine/entity.actions.ts';
import { metaOf } from '#command/engine/request-meta.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { upsellRule, type Upsell } from '#entities/upsell-rule.entity.ts';
import { admin, ok, route, type Route } from '#http/route.ts';
import type { SwitchUpsell } from './upsell-rule.decider.ts';

export interface UpsellRuleRouteDeps {
  readonly send: (id: string, command: SwitchUpsell, meta: CommandMeta) => Promise<Saved<Upsell>>;
  readonly show: (saved: Saved<Upsell>) => object;
}

const switches = [
  { verb: 'activate', summary: 'Switch an upsell rule on', type: 'ActivateUpsellRule' },
  { verb: 'deactivate', summary: 'Switch an upsell rule off', type: 'DeactivateUpsellRule' },
] as const;

/** Upsell rules are switched on and off (docs/rules/upsells.md#status); the rest is as with every managed thing. */
export const upsellRuleRoutes = ({ send, show }: UpsellRuleRouteDeps): readonly Route[] =>
  switches.map(({ verb, summary, type }) =>
    route({
      base: 'management',
      service: 'command',
      caller: admin,
      file: import.meta.url,
      method: 'POST',
      path: `${upsellRule.path}/{id}/${verb}`,
      summary,
      schemas: { params: entityParams },
      answer: upsellRule.answer,
      errors: ['entity-not-found'],
      handle: async (request) => {
        const saved = await send(request.params.id, { type }, metaOf(request));
        return ok(show(saved), { position: saved.position });
      },
    }),
  );
