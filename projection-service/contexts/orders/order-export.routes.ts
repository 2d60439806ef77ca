import { orderExportFields, orderExportItem } from '#contracts/export.contract.ts';
import type { Route } from '#http/route.ts';
import { refuseProblems } from '#kernel/entity.ts';
import { exportRoute } from '../../engine/exports/export-route.ts';
import { asOfHeader } from '../../engine/moments.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import { orderExport } from './order-export.ts';
import { orderListProjection } from './order-list.projection.ts';

/** Both days have to be given: an export of everything is asked for on purpose. */
const windowProblems = (fromDate: string | undefined, toDate: string | undefined): readonly string[] => {
  const missing = Object.entries({ fromDate, toDate }).flatMap(([name, day]) =>
    day === undefined ? [`${name}: must be a date YYYY-MM-DD`] : [],
  );
  if (fromDate === undefined || toDate === undefined || toDate >= fromDate) return missing;
  return ['toDate: must be a day not before fromDate'];
};

/** Sales for accountants and analysts (docs/rules/exports.md#orders). */
export const orderExportRoute = (deps: Pick<ProjectionDeps, 'exports' | 'moments'>): Route =>
  exportRoute(deps, {
    path: '/orders/export',
    summary: 'Export sales, the oldest first, one row an invoice: JSON, CSV or NDJSON',
    view: orderListProjection,
    fields: orderExportFields,
    row: orderExportItem,
    what: orderExport,
    file: import.meta.url,
    ask: async ({ fromDate, toDate, includeCancelled = false, sourceType = null, asOf }) => {
      refuseProblems(windowProblems(fromDate, toDate));
      const days = { fromDate: fromDate ?? '', toDate: toDate ?? '' };
      const name = `orders-${days.fromDate}-${days.toDate}`;
      const filter = { ...days, includeCancelled, sourceType };
      if (!asOf) return { asked: { ...filter, asOf: null }, name };
      const moment = await deps.moments.of(asOf);
      return { asked: { ...filter, asOf: moment.position }, name, headers: asOfHeader(moment) };
    },
  });
