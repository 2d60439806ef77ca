import { metaOf } from '#command/engine/request-meta.ts';
import {
  addMembers,
  criteriaVerdict,
  memberParams,
  membersAdded,
  validateCriteria,
} from '#contracts/customers.contract.ts';
import { expectation } from '#fields/expectation.ts';
import type { CurrencyOf } from '#fields/body-fields.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { segmentCriteria } from '#entities/customer-segment.entity.ts';
import { admin, noContent, ok, reader, route, type Route } from '#http/route.ts';
import type { SegmentMembers } from './segment-members.ts';

const common = { base: 'management', service: 'command', file: import.meta.url } as const;
const path = '/customer-segments';

/** What criteria would be told by a creation, and what they would come to all the same. */
const verdictOn = (criteria: readonly unknown[], currency: CurrencyOf) => {
  const read = segmentCriteria(currency).safeParse(criteria, { error: expectation });
  const errors = read.success
    ? []
    : read.error.issues.map(({ path: at, message }) => `${['criteria', ...at].join('.')}: ${message}`);
  const texts = criteria.map((one) => JSON.stringify(one));
  const warnings = [
    ...(criteria.length === 0 ? ['A segment without criteria has no members.'] : []),
    ...texts.flatMap((text, place) =>
      texts.indexOf(text) < place ? [`criteria.${place}: this criterion is there already`] : [],
    ),
  ];
  return { isValid: read.success, errors, warnings };
};

/** Members of manual segments, and criteria on trial (docs/rules/customers.md#segments). */
export const customerSegmentRoutes = (members: SegmentMembers, currency: CurrencyOf): readonly Route[] => [
  route({
    ...common,
    caller: admin,
    method: 'POST',
    path: `${path}/{id}/members`,
    summary: 'Put customers in a manual segment',
    schemas: { params: entityParams, body: addMembers },
    response: membersAdded,
    errors: ['invalid-request', 'entity-not-found'],
    handle: async (request) => {
      const { customerIds, notes } = request.body;
      const { position, ...added } = await members.add(
        request.params.id,
        customerIds,
        notes,
        metaOf(request),
      );
      return ok(added, { position });
    },
  }),
  route({
    ...common,
    caller: admin,
    method: 'DELETE',
    path: `${path}/{id}/members/{customerId}`,
    summary: 'Take a customer out of a manual segment',
    schemas: { params: memberParams },
    errors: ['invalid-request', 'entity-not-found'],
    handle: async (request) => {
      const { id, customerId } = request.params;
      return noContent({ position: await members.remove(id, customerId, metaOf(request)) });
    },
  }),
  route({
    ...common,
    caller: reader,
    method: 'POST',
    path: `${path}/criteria/validate`,
    summary: 'Check criteria without keeping them',
    schemas: { body: validateCriteria },
    response: criteriaVerdict,
    errors: ['invalid-request'],
    handle: (request) => Promise.resolve(ok(verdictOn(request.body.criteria, currency))),
  }),
];
