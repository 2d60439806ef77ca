import { parse } from 'csv-parse/sync';
import { Readable } from 'node:stream';
import { pageResponse } from '#contracts/listing.contract.ts';
import {
  csvFile,
  importQuery,
  issueList,
  issueListQuery,
  MAX_CSV_BYTES,
  profileQuery,
  runResponse,
  runList,
  runListQuery,
  runParams,
} from '#contracts/product-sync.contract.ts';
import { admin, ok, reader, route, type Reply, type Route, type RouteRequest } from '#http/route.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { ProductSyncActions } from './product-sync.actions.ts';
import type { SyncRun } from './product-sync-runs.ts';

const common = { base: 'management', service: 'command', file: import.meta.url } as const;

const path = '/product-sync';

const responseOf = ({ _id, attempt: _, isChecked: __, parts: ___, position: ____, ...run }: SyncRun) => ({
  id: _id,
  ...run,
});

const accepted = (run: SyncRun): Reply => ({
  status: 202,
  json: responseOf(run),
  headers: { Location: `/backoffice/api/v1${path}/runs/${run._id}` },
});

/** The longest header that is looked at. */
const MAX_HEADER = 64_000;

const hasHeader = (text: string): boolean => {
  try {
    const [header = []] = parse(text.slice(0, MAX_HEADER), {
      bom: true,
      to: 1,
      relax_column_count: true,
      record_delimiter: ['\r\n', '\n', '\r'],
    });
    return header.some((name) => name.trim().toLowerCase() === 'handle');
  } catch {
    return false;
  }
};

const refuseHeadless = (text: string): void => {
  if (hasHeader(text)) return;
  const expected = 'must be a CSV file with a header that has the column Handle';
  throw new Rejection('invalid-request', 'The file was refused as a whole.', {
    errors: [`body: ${expected}`],
  });
};

const importRoutes = (actions: ProductSyncActions): readonly Route[] => {
  const start = async (
    request: RouteRequest<unknown, { profile: SyncRun['profile'] }, string>,
    isDryRun: boolean,
  ) => {
    const { query, body, actor } = request;
    refuseHeadless(body);
    const { profile } = query;
    return accepted(await actions.startImport({ profile, startedBy: actor.id }, isDryRun, body));
  };
  const shared = {
    ...common,
    method: 'POST',
    caller: admin,
    schemas: { query: importQuery, body: csvFile },
    bodyKind: 'csv',
    maxBodyBytes: MAX_CSV_BYTES,
    response: runResponse,
    status: 202,
    errors: ['run-under-way'],
    isIdempotent: true,
  } as const;
  return [
    route({
      ...shared,
      path: `${path}/imports/validate`,
      summary: 'Say what is wrong with a product file; nothing is imported',
      handle: (request) => start(request, true),
    }),
    route({
      ...shared,
      path: `${path}/imports/start`,
      summary: 'Import a product file, unless something is wrong with it',
      handle: (request) => start(request, request.query.dryRun === 'true'),
    }),
  ];
};

const exportRoutes = (actions: ProductSyncActions): readonly Route[] => [
  route({
    ...common,
    method: 'POST',
    caller: admin,
    path: `${path}/exports/start`,
    summary: 'Write all products into a file, which the run has once it is completed',
    schemas: { query: profileQuery },
    response: runResponse,
    status: 202,
    errors: ['run-under-way'],
    isIdempotent: true,
    handle: async ({ query, actor }) =>
      accepted(await actions.startExport({ profile: query.profile, startedBy: actor.id })),
  }),
];

const runRoutes = (actions: ProductSyncActions): readonly Route[] => [
  route({
    ...common,
    method: 'GET',
    caller: reader,
    path: `${path}/runs`,
    summary: 'Imports and exports of products, the latest first',
    schemas: { query: runListQuery },
    response: runList,
    handle: async ({ query }) => {
      const { items, total } = await actions.list(query);
      return ok(pageResponse(items.map(responseOf), total, query));
    },
  }),
  route({
    ...common,
    method: 'GET',
    caller: reader,
    path: `${path}/runs/{id}`,
    summary: 'How far an import or export is',
    schemas: { params: runParams },
    response: runResponse,
    errors: ['entity-not-found'],
    handle: async ({ params }) => {
      const run = await actions.load(params.id);
      return ok(responseOf(run), run.position > 0 ? { position: run.position } : {});
    },
  }),
];

const callOffRoutes = (actions: ProductSyncActions): readonly Route[] => [
  route({
    ...common,
    method: 'POST',
    caller: admin,
    path: `${path}/runs/{id}/cancel`,
    summary: 'Call off an import or export that is under way; what it has done stays',
    schemas: { params: runParams },
    response: runResponse,
    errors: ['entity-not-found', 'run-over'],
    handle: async ({ params }) => ok(responseOf(await actions.callOff(params.id))),
  }),
];

const contentRoutes = (actions: ProductSyncActions): readonly Route[] => [
  route({
    ...common,
    method: 'GET',
    caller: reader,
    path: `${path}/runs/{id}/issues`,
    summary: 'What is wrong with the file of an import, by line',
    schemas: { params: runParams, query: issueListQuery },
    response: issueList,
    errors: ['entity-not-found'],
    handle: async ({ params, query }) => {
      const { items, total } = await actions.issuesOf(params.id, query);
      const shown = items.map(({ severity, code, message, line, column }) => ({
        severity,
        code,
        message,
        line,
        column,
      }));
      return ok(pageResponse(shown, total, query));
    },
  }),
  route({
    ...common,
    method: 'GET',
    caller: reader,
    path: `${path}/runs/{id}/download`,
    summary: 'The file of a run: what was sent, or what was exported',
    schemas: { params: runParams },
    status: 200,
    errors: ['entity-not-found'],
    handle: async ({ params }) => ({
      status: 200,
      stream: Readable.from(await actions.fileOf(params.id), { objectMode: false }),
      headers: {
        'Content-Type': 'text/csv; charset=utf-8',
        'Content-Disposition': `attachment; filename="products-${params.id}.csv"`,
      },
    }),
  }),
];

/** Product files (docs/guides/product-csv.md). */
export const productSyncRoutes = (actions: ProductSyncActions): readonly Route[] => [
  ...importRoutes(actions),
  ...exportRoutes(actions),
  ...runRoutes(actions),
  ...callOffRoutes(actions),
  ...contentRoutes(actions),
];
