import { gatewayTable, listRoutes } from './route-list.ts';
import type { Route } from './route.ts';

/**
 * The gateway's table as a `map` of Caddy: it sets {service} for each request. Unknown paths go to the command
 * service, which answers 404.
 */
export const printCaddyRoutes = (routes: readonly Route[]): string =>
  [
    '# Which service answers what. Written by `npm run gateway`, from the routers themselves.',
    'map "{method} {path}" {service} {',
    ...gatewayTable(routes).map(({ method, pattern, service }) => {
      const methods = method === 'GET' ? '(GET|HEAD)' : method;
      return `\t"~^${methods} ${pattern.slice(1)}" ${service}`;
    }),
    '\tdefault command',
    '}\n',
  ].join('\n');

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
