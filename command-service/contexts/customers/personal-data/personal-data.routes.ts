import { metaOf } from '#command/engine/request-meta.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { heldDataSchema } from '#contracts/personal-data.contract.ts';
import { admin, route, type Route } from '#http/route.ts';
import type { PersonalDataActions } from './personal-data.actions.ts';

/** docs/rules/personal-data.md#answer */
export const personalDataRoutes = (actions: PersonalDataActions): readonly Route[] => [
  route({
    base: 'management',
    service: 'command',
    caller: admin,
    file: import.meta.url,
    method: 'GET',
    path: '/customers/{id}/personal-data',
    summary: 'All that is held about a customer; that it was asked for is recorded',
    schemas: { params: entityParams },
    response: heldDataSchema,
    errors: ['entity-not-found', 'too-busy'],
    handle: async (request) => {
      const { id } = request.params;
      const { stream, position } = await actions.open(id, metaOf(request));
      const headers = {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Disposition': `attachment; filename="personal-data-${id}.json"`,
      };
      return { status: 200, stream, position, headers };
    },
  }),
];
