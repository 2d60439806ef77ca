import type { Command } from '#kernel/decider.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { CommandMeta } from './command-engine.ts';

/** A command that is about to be decided. */
export interface Notice {
  readonly category: string;
  readonly command: Command;
  readonly state: unknown;
  readonly meta: CommandMeta;
}

/**
 * Notifications that can cancel: asked before a command is decided. Returns nothing for "go on", or the reason why not,
 * as a sentence for the caller. What happened afterwards is told by the events.
 */
export type BeforeHook = (notice: Notice) => string | undefined;

/** Throws a `Rejection` with the reason of the first hook that objects. */
export const askHooks = (hooks: readonly BeforeHook[], notice: Notice): void => {
  for (const hook of hooks) {
    const reason = hook(notice);
    if (reason !== undefined) throw new Rejection('cancelled', reason);
  }
};
