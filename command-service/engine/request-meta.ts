import type { RouteRequest } from '#http/route.ts';
import type { CommandMeta } from './command-engine.ts';

/** What the events that a request causes say of it. */
export const metaOf = ({ correlationId, actor, commandId, bodyFingerprint }: RouteRequest): CommandMeta => ({
  correlationId,
  causationId: correlationId,
  actor,
  ...(commandId === undefined ? {} : { commandId }),
  ...(bodyFingerprint === undefined ? {} : { bodyFingerprint }),
});
