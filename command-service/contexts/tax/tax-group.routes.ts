import type { Entities } from '#command/engine/entities.ts';
import { entityRoutes } from '#command/engine/entity-routes.ts';
import { changeTaxGroup, createTaxGroup, taxGroupAnswer, taxGroupSchema } from '#contracts/tax.contract.ts';
import type { TaxGroup } from '#events/catalogue.events.ts';
import type { Route } from '#http/route.ts';

export const taxGroupRoutes = (entities: Entities<TaxGroup>): readonly Route[] =>
  entityRoutes({
    entities,
    path: '/tax-groups',
    noun: 'tax group',
    createBody: createTaxGroup,
    changeBody: changeTaxGroup,
    answer: taxGroupSchema,
    toAnswer: taxGroupAnswer,
    file: 'command-service/contexts/tax/tax-group.routes.ts',
  });
