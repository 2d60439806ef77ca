import type { RouteRequest } from '#http/route.ts';
import { defined } from '#kernel/defined.ts';
import type { CommandMeta } from './command-engine.ts';

type MetaSource = Pick<
  RouteRequest,
  'correlationId' | 'actor' | 'commandId' | 'bodyFingerprint' | 'askedAt' | 'reached'
>;

/** What the events that a request causes say of it, and until when it is waited for. */
export const metaOf = (request: MetaSource): CommandMeta => {
  const { correlationId, actor, commandId, bodyFingerprint, askedAt, reached } = request;
  return {
    correlationId,
    causationId: correlationId,
    actor,
    reached,
    ...defined({ commandId, bodyFingerprint, askedAt }),
  };
};
