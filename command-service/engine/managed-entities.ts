import { entities } from '#entities/entities.ts';
import { keepEntities, type DeclaredRules } from './entity-keeper.ts';
import { entityRoutes } from './entity-routes.ts';
import type { CommandContribution } from './module.ts';
import type { CommandDeps } from './service-deps.ts';
import { entityList } from './store-list.ts';

/** Everything that staff manage and that is only kept: its routes, and its lists of a store file. */
export const managedEntities = (
  deps: CommandDeps,
  declared: readonly DeclaredRules[],
): CommandContribution => {
  const { claims, reference, settings } = deps;
  const rules = new Map(declared.map((one) => [one.category, one.rules]));
  const keepers = entities.map((kind) =>
    keepEntities<object>(kind, rules.get(kind.category) ?? {}, entities, deps, claims),
  );
  return {
    routes: keepers.flatMap((keeper) => entityRoutes(keeper, () => settings().storeCurrencyCode)),
    storeLists: (currency) => keepers.map((keeper) => entityList(keeper, currency, reference.entities)),
  };
};
