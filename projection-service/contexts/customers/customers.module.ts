import { customerSegment } from '#entities/customer-segment.entity.ts';
import type { ProjectionModule } from '#projection/engine/module.ts';
import { explainedByStream } from '#projection/engine/why/explained-view.ts';
import { streamOf } from '#values/stream-name.ts';
import { accountSalesProjection } from './account-sales.projection.ts';
import { customerAccountsProjection } from './customer-accounts.projection.ts';
import { customerExportRoute } from './customer-export.routes.ts';
import { customerListProjection } from './customer-list.projection.ts';
import { customerSegmentsRoutes } from './customer-segments.routes.ts';
import { customerTagsProjection } from './customer-tags.projection.ts';
import { customersRoutes } from './customers.routes.ts';
import { customerOutstandingRoutes } from './outstanding.routes.ts';
import { explainedReceivables } from './explained-receivables.ts';
import { receivablesProjection } from './receivables.projection.ts';
import { statementRoutes } from './statement.routes.ts';
import { segmentMembersProjection } from './segment-members.projection.ts';

export const customers: ProjectionModule = {
  name: 'customers',
  projections: [
    customerListProjection,
    customerTagsProjection,
    segmentMembersProjection,
    customerAccountsProjection,
    accountSalesProjection,
    receivablesProjection,
  ],
  explains: [
    explainedByStream(customerListProjection, 'totalSpend', streamOf.customer),
    explainedByStream(accountSalesProjection, 'balance', streamOf.invoice),
    explainedReceivables,
  ],
  shows: [customerSegment.category],
  routes: (deps) => [
    customerExportRoute(deps),
    ...customersRoutes(deps),
    ...customerOutstandingRoutes(deps),
    ...statementRoutes(deps),
    ...customerSegmentsRoutes(deps),
  ],
};
