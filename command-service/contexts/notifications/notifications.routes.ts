import { notificationsResponse } from '#contracts/notifications.contract.ts';
import { ok, reader, route, type Route } from '#http/route.ts';
import { mailedEventTypes } from '#mails/mail-topics.ts';
import type { Hooks } from '#runtime/hooks-file.ts';
import { isAnnounced } from '#topics/topics.ts';
import { notificationsByType } from '#topics/event-notifications.ts';
import { notifications, type AfterNotification, type Notification } from '#values/notifications.ts';

interface Handler {
  readonly name: string;
  readonly priority: number;
}

/** What the shop itself does after events of some types. */
const followers: readonly (Handler & { readonly follows: (eventType: string) => boolean })[] = [
  { name: 'mails', priority: 2100, follows: (type) => mailedEventTypes.has(type) },
  { name: 'outbound webhooks', priority: 2200, follows: isAnnounced },
];

const builtIn = ({ name, isBefore }: Notification): readonly Handler[] => {
  if (isBefore) return [];
  const types = [...notificationsByType].flatMap(([type, names]) =>
    names.includes(name as AfterNotification) ? [type] : [],
  );
  return followers.filter(({ follows }) => types.some(follows));
};

/** Every notification, and who is called for it in which order (docs/guides/hooks.md#notifications). */
export const notificationRoutes = ({ hooks, handlers }: Hooks): readonly Route[] => {
  const handlersOf = (one: Notification): readonly Handler[] => {
    if (!one.isCalled) return [];
    const owners = [...hooks, ...handlers].filter(({ notification }) => notification === one.name);
    return [...owners, ...builtIn(one)]
      .toSorted((a, b) => a.priority - b.priority)
      .map(({ name, priority }) => ({ name, priority }));
  };
  const list = notifications.map((one) => ({
    name: one.name,
    domain: one.domain,
    isCancelable: one.isCancelable,
    handlers: handlersOf(one),
  }));
  return [
    route({
      base: 'management',
      service: 'command',
      caller: reader,
      file: import.meta.url,
      method: 'GET',
      path: '/notifications',
      summary: 'Every notification, and what is called for it in which order',
      response: notificationsResponse,
      handle: () => Promise.resolve(ok(list)),
    }),
  ];
};
