import { managementPath } from '#command/engine/entity-routes.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { whatIfAccepted, whatIfBody, whatIfRun } from '#contracts/what-if.contract.ts';
import { actorName } from '#kernel/event.ts';
import { analyst, noContent, ok, route, type Route } from '#http/route.ts';
import type { WhatIfActions } from './what-if.actions.ts';
import { whatIfRunAnswer } from './what-if.response.ts';

export interface WhatIfRouteDeps {
  readonly actions: WhatIfActions;
  readonly currency: () => string;
  /** What is wrong with a new rule beside what its schema says. */
  readonly problemsBeside: (rule: unknown, id: null) => Promise<readonly string[]>;
}

const path = '/what-if';
const common = { base: 'management', service: 'command', caller: analyst, file: import.meta.url } as const;

const ruleIn = (body: unknown): unknown => (body as { readonly discount?: unknown } | null)?.discount;

/** What sales would have come to with another rule (docs/rules/what-if.md). */
export const whatIfRoutes = ({ actions, currency, problemsBeside }: WhatIfRouteDeps): readonly Route[] => [
  route({
    ...common,
    method: 'POST',
    path,
    summary: 'Price the sales of some days again with one discount rule more or less',
    schemas: { body: whatIfBody(currency) },
    ruleProblems: async ({ body }) => {
      const rule = ruleIn(body);
      if (typeof rule !== 'object' || rule === null) return [];
      return (await problemsBeside(rule, null)).map((problem) => `discount.${problem}`);
    },
    response: whatIfAccepted,
    status: 202,
    errors: ['invalid-request', 'entity-not-found', 'run-under-way'],
    handle: async ({ body, actor }) => {
      const { _id: id } = await actions.begin(body, actorName(actor));
      return { status: 202, json: { id }, headers: { Location: `${managementPath}${path}/${id}` } };
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: `${path}/{id}`,
    summary: 'How far a what-if is, and what has come of it',
    schemas: { params: entityParams },
    response: whatIfRun,
    errors: ['entity-not-found'],
    handle: async ({ params }) => ok(whatIfRunAnswer(await actions.load(params.id))),
  }),
  route({
    ...common,
    method: 'DELETE',
    path: `${path}/{id}`,
    summary: 'Call a what-if off, or forget what has come of it',
    schemas: { params: entityParams },
    errors: ['entity-not-found'],
    handle: async ({ params }) => {
      await actions.remove(params.id);
      return noContent();
    },
  }),
];
