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

/**
 * For the steps that a command leads to: a repeat of theirs is recognised by their business keys. The command's own id
 * stands for that command alone, else a second step on the same stream would be taken for its repeat.
 */
export const stepMeta = ({ commandId: _, bodyFingerprint: __, ...meta }: CommandMeta): CommandMeta => meta;
