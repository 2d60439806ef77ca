import type { Logger } from 'pino';
import { notificationNamed, type BeforeNotification } from '#values/notifications.ts';
import { frozenInput, type Hook } from './hooks-file.ts';

/** Asks the owner's hooks before something happens; the reason of the first that objects, or nothing for "go on". */
export type AskHooks = (notification: BeforeNotification, input: object) => string | undefined;

type HooksLog = Pick<Logger, 'warn' | 'error'>;

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function';

/** What a hook says; what it throws, and what it would only say later, is logged and stops nothing. */
const ask = ({ name, notification, before }: Hook, input: object, log: HooksLog): string | undefined => {
  try {
    const said = before(frozenInput(notification, input));
    if (typeof said === 'string') return said === '' ? 'This is not allowed.' : said;
    if (!isPromise(said)) return undefined;
    log.warn({ hook: name, notification }, 'a hook returned a promise: what it says is not waited for');
    said.then(undefined, (error: unknown) =>
      log.error({ hook: name, notification, err: error }, 'a hook failed'),
    );
  } catch (error) {
    log.error({ hook: name, notification, err: error }, 'a hook failed: the command goes on');
  }
  return undefined;
};

/** Asks in calling order (docs/guides/hooks.md#before). */
export const createAskHooks = (hooks: readonly Hook[], log: HooksLog): AskHooks => {
  const hooksOf = Map.groupBy(hooks, ({ notification }) => notification);
  return (notification, input) => {
    for (const hook of hooksOf.get(notification) ?? []) {
      const reason = ask(hook, input, log);
      if (reason === undefined) continue;
      if (notificationNamed(notification)?.isCancelable) return reason;
      log.warn({ hook: hook.name, notification, reason }, 'a hook objects to what cannot be cancelled');
    }
    return undefined;
  };
};
