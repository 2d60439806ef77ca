import { sealPage, sealQuery } from '#contracts/seals.contract.ts';
import { auditor, ok, route, type Route } from '#http/route.ts';
import type { ProjectionDeps } from '../../../engine/service-deps.ts';
import { readSeals } from './read-seals.ts';

/** The seals of the log, for a copy that is kept elsewhere (docs/rules/proof.md#seals). */
export const sealRoutes = ({ stateStore }: ProjectionDeps): readonly Route[] => [
  route({
    method: 'GET',
    base: 'management',
    service: 'projection',
    caller: auditor,
    path: '/audit/seals',
    file: import.meta.url,
    summary: 'List the seals of the event log, the newest first, with the key that proves them',
    schemas: { query: sealQuery },
    response: sealPage,
    handle: async ({ query: { before = null, limit } }) => ok(await readSeals(stateStore, { before, limit })),
  }),
];
