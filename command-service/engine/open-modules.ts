import { storeLists as storeListNames } from '#contracts/store-file.contract.ts';
import type { ReferencePart } from '#reference/reference-part.ts';
import type { Actions } from '../actions.ts';
import { entityHooks } from './entity-hooks.ts';
import type { CommandHooks } from './hooks.ts';
import { entityResources } from './entity-resources.ts';
import type { CommandContribution, CommandModule, ModuleDeps } from './module.ts';
import { createOpenInstances, type OpenInstances } from './open-instances.ts';
import type { ProcessDriver } from './resume-processes.ts';
import type { ShopCheck } from './shop-check.ts';
import type { StoreListsFor } from './store-list.ts';

/** What the modules come to. */
export interface CreatedModules {
  readonly contributions: readonly CommandContribution[];
  /** One for every process. */
  readonly drivers: Readonly<Record<string, ProcessDriver>>;
}

/** Modules with the state that they follow the log with, which is there before anything else of them. */
export interface OpenModules {
  /** What the owner's hooks are asked before which commands. */
  readonly beforeHooks: readonly CommandHooks[];
  /** Everything that follows the log. */
  readonly parts: readonly ReferencePart[];
  readonly openInstances: OpenInstances;
  /** Empty until the modules are created. */
  readonly actions: Actions;
  /** Likewise. In the order in which they are imported. */
  readonly storeLists: StoreListsFor;
  /** Likewise. */
  readonly shopChecks: () => readonly ShopCheck[];
  create(deps: ModuleDeps): Promise<CreatedModules>;
}

const driversOf = (
  modules: readonly CommandModule[],
  contributions: readonly CommandContribution[],
): CreatedModules['drivers'] => {
  const all = Object.assign({}, ...contributions.map(({ drivers }) => drivers)) as CreatedModules['drivers'];
  for (const { name } of modules.flatMap(({ processes = [] }) => processes))
    if (!all[name]) throw new TypeError(`nobody drives ${name}`);
  return all;
};

export const openModules = (modules: readonly CommandModule[]): OpenModules => {
  const opened = modules.map((module) => ({ module, followed: module.follows?.() }));
  const openInstances = createOpenInstances(modules.flatMap(({ processes = [] }) => processes));
  const contributions: CommandContribution[] = [];
  const actions: Partial<Actions> = {};
  return {
    beforeHooks: [...entityHooks(), ...modules.flatMap(({ beforeHooks = [] }) => beforeHooks)],
    parts: [openInstances, ...opened.flatMap(({ followed = [] }) => followed)],
    openInstances,
    actions: actions as Actions,
    storeLists: (currency) =>
      contributions
        .flatMap(({ storeLists }) => storeLists?.(currency) ?? [])
        .toSorted((one, other) => storeListNames.indexOf(one.name) - storeListNames.indexOf(other.name)),
    shopChecks: () => contributions.flatMap(({ shopChecks = [] }) => shopChecks),
    create: async (deps) => {
      const rules = modules.flatMap(({ entityRules = [] }) => entityRules);
      contributions.push(entityResources(deps, rules));
      for (const { module, followed } of opened) {
        // A module that follows nothing looks at nothing.
        const contribution = await module.create?.(deps, followed ?? []);
        if (contribution) contributions.push(contribution);
      }
      Object.assign(actions, ...contributions.map((one) => one.actions));
      return { contributions, drivers: driversOf(modules, contributions) };
    },
  };
};
