import { customerExportItem, exportFields } from '#contracts/export.contract.ts';
import type { Route } from '#http/route.ts';
import { exportRoute } from '../../engine/exports/export-route.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import { customerExport } from './customer-export.ts';
import { customerListProjection } from './customer-list.projection.ts';

/** All customers, with what they have bought (docs/rules/exports.md#customers). */
export const customerExportRoute = (deps: Pick<ProjectionDeps, 'exports' | 'settings'>): Route =>
  exportRoute(deps, {
    path: '/customers/export',
    summary: 'Export customers with what they have bought, the oldest first: JSON, CSV or NDJSON',
    view: customerListProjection,
    fields: exportFields,
    row: customerExportItem,
    what: customerExport,
    file: import.meta.url,
    ask: () => ({ asked: { currency: deps.settings().storeCurrencyCode }, name: 'customers' }),
  });
