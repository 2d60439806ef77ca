import type { Route } from '#http/route.ts';
import type { ModuleDeps } from './engine/module.ts';
import { listSettings } from './contexts/settings/settings.actions.ts';
import { settingsQueries } from './contexts/settings/settings.routes.ts';

/** The settings of a shop that is shown as it was, which nothing changes. */
export const settingsAsItWas = (
  deps: Pick<ModuleDeps, 'reference' | 'settings' | 'config'>,
): readonly Route[] => settingsQueries(() => listSettings(deps), deps.settings);
