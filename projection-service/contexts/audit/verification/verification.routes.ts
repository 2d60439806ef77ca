import { lastVerification, verificationReport } from '#contracts/verification.contract.ts';
import { admin, auditor, ok, route, type Route } from '#http/route.ts';
import type { ProjectionDeps } from '../../../engine/service-deps.ts';
import { keepVerification, readLastVerification } from './last-verification.ts';

const path = '/audit/verification';

/** What was found when the log was last verified. */
export const verificationRoutes = ({ stateStore }: ProjectionDeps): readonly Route[] => [
  route({
    method: 'GET',
    base: 'management',
    service: 'projection',
    caller: auditor,
    path,
    file: import.meta.url,
    summary: 'Show what was found when the event log was last verified',
    response: lastVerification,
    handle: async () => ok({ last: await readLastVerification(stateStore) }),
  }),
  route({
    method: 'PUT',
    base: 'management',
    service: 'projection',
    caller: admin,
    path,
    file: import.meta.url,
    summary: 'Keep what tillroll audit verify has found beside this shop',
    schemas: { body: verificationReport },
    response: lastVerification,
    handle: async ({ body }) => {
      await keepVerification(stateStore, body);
      return ok({ last: body });
    },
  }),
];
