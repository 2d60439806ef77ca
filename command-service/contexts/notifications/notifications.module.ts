import type { CommandModule } from '#command/engine/module.ts';
import { notificationRoutes } from './notifications.routes.ts';

export const notifications: CommandModule = {
  name: 'notifications',
  create: ({ hooks }) => ({ routes: notificationRoutes(hooks) }),
};
