import { notifications, type AfterNotification, type BeforeNotification } from '#values/notifications.ts';
import type { HookInput } from '#runtime/hooks-file.ts';

/** A file of hooks as `HOOKS_FILE` names it, which tests tell what to say. One for all shops of a process. */

/** What hooks say, by notification: a text cancels, an error is thrown. */
export const says = new Map<BeforeNotification, string | Error>();
/** What hooks were asked and handlers were told, in this order. */
export const heard: HookInput[] = [];

const of = <Name>(isBefore: boolean) =>
  notifications.filter((one) => one.isBefore === isBefore).map(({ name }) => name as Name);

export const hooks = of<BeforeNotification>(true).map((notification) => ({
  name: 'test hook',
  notification,
  before: (input: HookInput): string | undefined => {
    heard.push(input);
    const said = says.get(notification);
    if (said instanceof Error) throw said;
    return said;
  },
}));

export const handlers = of<AfterNotification>(false).map((notification) => ({
  name: 'test handler',
  notification,
  after: (input: HookInput): void => {
    heard.push(input);
    if (input.event === 'TaxGroupCreated') throw new Error('a handler that fails');
  },
}));
