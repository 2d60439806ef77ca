import { derivedId } from '#kernel/ids.ts';
import type { CommandMeta } from '../engine/command-engine.ts';

/** The ids of what is asked for on one occasion: the same each time, and each request has its own. */
export const requestsOf = (
  actor: CommandMeta['actor'],
  ...occasion: readonly (string | number)[]
): (() => CommandMeta) => {
  let requests = 0;
  return () => {
    const commandId = derivedId('simulated request', ...occasion, requests++);
    const correlationId = derivedId('request', commandId);
    return { correlationId, causationId: correlationId, actor, commandId };
  };
};
