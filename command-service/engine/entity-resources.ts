import { entities } from '#entities/entities.ts';
import type { EntityType } from '#entities/define-entity.ts';
import { createEntityActions } from './entity.actions.ts';
import { entityCommandRoutes } from './entity-routes.ts';
import type { DeclaredRules } from './entity-rules.ts';
import type { CommandContribution } from './module.ts';
import type { CommandDeps } from './service-deps.ts';
import { entityList } from './store-list.ts';

/** Everything that staff manage and that is only kept: its routes, and its lists of a store file. */
export const entityResources = (
  deps: CommandDeps,
  declared: readonly DeclaredRules[],
): CommandContribution => {
  const { reference, settings } = deps;
  const rules = new Map(declared.map((one) => [one.category, one.rules]));
  const kinds: readonly EntityType[] = entities;
  const actionsIn = (currency: () => string) =>
    kinds.map((kind) => createEntityActions(kind, rules.get(kind.category) ?? {}, deps, { currency }));
  const currency = (): string => settings().storeCurrencyCode;
  return {
    routes: actionsIn(currency).flatMap((actions) => entityCommandRoutes(actions, currency)),
    storeLists: (ofStore) =>
      actionsIn(ofStore).map((actions) => {
        const { storeReferences } = rules.get(actions.kind.category) ?? {};
        return entityList(actions, ofStore, reference.entities, storeReferences);
      }),
  };
};
