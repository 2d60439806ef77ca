import { gatewayTable, listRoutes } from './route-list.ts';
import type { Route } from './route.ts';

/** What `tillroll routes` prints. */
export const printRoutes = (
  routes: readonly Route[],
  { json, gateway }: { readonly json: boolean; readonly gateway: boolean },
): string => {
  const rows = gateway
    ? gatewayTable(routes).map(({ method, pattern, service }) => ({ method, pattern, service }))
    : listRoutes(routes).map(({ method, path, service, file }) => ({ method, path, service, file }));
  if (json) return `${JSON.stringify(rows, null, 2)}\n`;
  const cells = rows.map((row) => Object.values(row));
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  );
  return cells
    .map(
      (row) =>
        row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd() + '\n',
    )
    .join('');
};
