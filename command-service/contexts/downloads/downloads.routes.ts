import { metaOf } from '#command/engine/request-meta.ts';
import { invoiceParams } from '#contracts/checkout.contract.ts';
import {
  downloadParams,
  fileResponse,
  regenerateDownloads,
  staffDownloadLinks,
} from '#contracts/downloads.contract.ts';
import { admin, member, ok, route, type Route } from '#http/route.ts';
import { fileNameOf } from '#values/download-path.ts';
import type { DownloadsActions } from './downloads.actions.ts';
import { attachmentNamed, contentTypeOf } from './file-headers.ts';
import type { DownloadResponses } from './downloads.response.ts';
import type { ServedDownload, ServeDownload } from './serve-download.ts';

export interface DownloadsRouteDeps {
  readonly actions: DownloadsActions;
  readonly answers: DownloadResponses;
  readonly serve: ServeDownload;
}

const common = { service: 'command', file: import.meta.url } as const;

const headersOf = ({ fileId, bytes, tag, range }: ServedDownload): Record<string, string> => {
  const name = fileNameOf(fileId);
  return {
    'Content-Type': contentTypeOf(name),
    'Content-Disposition': attachmentNamed(name),
    'Content-Length': String(range === null ? bytes : range.end - range.start + 1),
    'Accept-Ranges': 'bytes',
    ETag: tag,
    ...(range !== null && { 'Content-Range': `bytes ${range.start}-${range.end}/${bytes}` }),
  };
};

const download = (serve: ServeDownload): Route =>
  route({
    ...common,
    base: 'downloads',
    method: 'GET',
    caller: member,
    path: '/{token}',
    summary: 'Download a file, whole or in ranges',
    schemas: { params: downloadParams },
    isInParts: true,
    responseType: 'application/octet-stream',
    response: fileResponse,
    errors: [
      'download-not-found',
      'download-expired',
      'download-limit-reached',
      'download-path-invalid',
      'file-not-found',
      'range-not-satisfiable',
      'too-many-requests',
    ],
    handle: async ({ params: { token }, actor, isHead = false, header }) => {
      const served = await serve({
        ...{ token, isHead, memberId: actor.id ?? '' },
        range: header('range'),
        ifRange: header('if-range'),
      });
      const { range, file } = served;
      return {
        status: range === null ? 200 : 206,
        headers: headersOf(served),
        ...(file !== null && { file }),
      };
    },
  });

const regenerate = ({ actions, answers }: DownloadsRouteDeps): Route =>
  route({
    ...common,
    base: 'management',
    method: 'POST',
    caller: admin,
    isIdempotent: true,
    path: '/orders/{invoiceId}/downloads/regenerate',
    summary: 'End the download links of an invoice and make new ones',
    schemas: { params: invoiceParams, body: regenerateDownloads },
    response: staffDownloadLinks,
    errors: ['invalid-request', 'invoice-not-found', 'invoice-cancelled', 'downloads-not-due'],
    handle: async (request) => {
      const { invoiceId } = request.params;
      const { invoice, position } = await actions.regenerate(
        invoiceId,
        request.body.expiryDays ?? null,
        metaOf(request),
      );
      return ok(await answers.forStaff(invoice), { position });
    },
  });

/** Files for those who have bought them (docs/rules/downloads.md). */
export const downloadsRoutes = (deps: DownloadsRouteDeps): readonly Route[] => [
  download(deps.serve),
  regenerate(deps),
];
