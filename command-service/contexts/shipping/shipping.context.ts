import type { Claims } from '#command/engine/claims.ts';
import { createEntities, type Entities } from '#command/engine/entities.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { ShippingOption, Warehouse } from '#events/shipping.events.ts';
import { shippingOptionDecider, shippingOptionProblems } from './shipping-option.decider.ts';
import { warehouseDecider } from './warehouse.decider.ts';

/** Warehouses; one that has shipping options or that a product names stays. Codes are unique. */
export const warehouses = (deps: CommandDeps, claims: Claims): Entities<Warehouse> => {
  const { catalogue, shipping } = deps.reference;
  return createEntities(
    {
      decider: warehouseDecider,
      noun: 'warehouse',
      problems: () => [],
      dependents: (id) => {
        const products = catalogue.productsThatUse('warehouse', id).length;
        const options = shipping.optionsOf(id).map(({ name }) => `the shipping option ${name}`);
        return [...options, ...(products > 0 ? [`${products} product(s)`] : [])];
      },
      uniqueValues: ({ code }) =>
        code === null ? [] : [{ kind: 'warehouse-code', value: code.toLowerCase(), field: 'code' }],
    },
    deps,
    claims,
  );
};

/** Shipping options; one that a product allows or excludes by name stays. */
export const shippingOptions = (deps: CommandDeps, claims: Claims): Entities<ShippingOption> => {
  const { catalogue, shipping } = deps.reference;
  return createEntities(
    {
      decider: shippingOptionDecider,
      noun: 'shipping option',
      problems: (option) => [
        ...(shipping.warehouse(option.warehouseId)
          ? []
          : ['warehouseId: an existing warehouse was expected']),
        ...shippingOptionProblems(option),
      ],
      dependents: (id) => {
        const { length } = catalogue.productsThatUse('shippingOption', id);
        return length > 0 ? [`${length} product(s)`] : [];
      },
      uniqueValues: () => [],
    },
    deps,
    claims,
  );
};
