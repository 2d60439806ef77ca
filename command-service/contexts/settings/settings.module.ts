import type { CommandModule } from '#command/engine/module.ts';
import { createSettingsActions } from './settings.actions.ts';
import { agentsCheck, storefrontCheck } from './settings-checks.ts';
import { settingsRoutes } from './settings.routes.ts';

export const settings: CommandModule = {
  name: 'settings',
  create: (deps) => ({
    routes: settingsRoutes(createSettingsActions(deps), deps.settings),
    shopChecks: [storefrontCheck(deps.settings), agentsCheck(deps.config)],
  }),
};
