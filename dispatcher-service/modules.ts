import { notifications } from './contexts/notifications/notifications.module.ts';
import { webhooks } from './contexts/webhooks/webhooks.module.ts';
import type { DispatcherModule } from './engine/module.ts';

/** The contexts of the dispatcher service, in the order of the alphabet. */
export const modules: readonly DispatcherModule[] = [notifications, webhooks];
