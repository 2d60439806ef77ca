import type { Logger } from 'pino';
import type { Command } from '#kernel/decider.ts';
import { Rejection } from '#kernel/rejection.ts';
import { createAskHooks } from '#runtime/ask-hooks.ts';
import type { Hook } from '#runtime/hooks-file.ts';
import type { BeforeNotification } from '#values/notifications.ts';
import type { CommandMeta } from './command-engine.ts';

/** A command that is about to be decided. */
export interface PendingCommand {
  readonly category: string;
  readonly id: string;
  readonly command: Command;
  readonly state: unknown;
  readonly meta: CommandMeta;
}

/**
 * Notifications that can cancel: asked before a command is decided. Returns nothing for "go on", or the reason why not,
 * as a sentence for the caller. What happened afterwards is told by the events.
 */
export type BeforeHook = (pending: PendingCommand) => string | undefined;

/** Throws a `Rejection` with the reason of the first hook that objects. */
export const runHooks = (hooks: readonly BeforeHook[], pending: PendingCommand): void => {
  for (const hook of hooks) {
    const reason = hook(pending);
    if (reason !== undefined) throw new Rejection('cancelled', reason);
  }
};

/** A notification that a command leads to, and what it is about. */
export type Notified = readonly [notification: BeforeNotification, input: object];

/** What is asked before the commands of one stream definition. */
export interface CommandHooks {
  readonly category: string;
  readonly on: Readonly<
    Record<string, (command: never, state: never, id: string) => readonly Notified[] | Notified>
  >;
}

/** By the type of the command; keeps the types of state and commands to itself. */
export const commandHooks = <State, Cmd extends Command>(
  category: string,
  on: {
    readonly [Type in Cmd['type']]?: (
      command: Extract<Cmd, { readonly type: Type }>,
      state: State,
      id: string,
    ) => readonly Notified[] | Notified;
  },
): CommandHooks => ({ category, on: on as CommandHooks['on'] });

const isOne = (notified: readonly Notified[] | Notified): notified is Notified =>
  typeof notified[0] === 'string';

interface OwnersHooksOptions {
  readonly hooks: readonly Hook[];
  readonly beforeHooks: readonly CommandHooks[];
  readonly log: Pick<Logger, 'warn' | 'error'>;
}

/**
 * The owner's hooks as the engine asks them (docs/guides/hooks.md#before); none without any: they cost nothing then.
 */
export const ownersHooks = ({ hooks, beforeHooks, log }: OwnersHooksOptions): readonly BeforeHook[] => {
  if (hooks.length === 0) return [];
  const askHooks = createAskHooks(hooks, log);
  const tellers = new Map(
    beforeHooks.flatMap(({ category, on }) =>
      Object.entries(on).map(([type, tell]) => [`${category} ${type}`, tell] as const),
    ),
  );
  return [
    ({ category, command, state, id }) => {
      const notified = tellers.get(`${category} ${command.type}`)?.(command as never, state as never, id);
      if (!notified) return undefined;
      for (const one of isOne(notified) ? [notified] : notified) {
        const reason = askHooks(...one);
        if (reason !== undefined) return reason;
      }
      return undefined;
    },
  ];
};
