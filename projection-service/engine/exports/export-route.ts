import { z } from 'zod';
import type { ExportFields, ExportFormat } from '#contracts/export.contract.ts';
import { reader, route, type Route } from '#http/route.ts';
import { defined } from '#kernel/defined.ts';
import type { AnyProjection } from '#kernel/projection.ts';
import type { ProjectionDeps } from '../service-deps.ts';
import type { Export } from './export.ts';

const mediaTypes: Readonly<Record<ExportFormat, string>> = {
  json: 'application/json',
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
};

/** Whoever takes anything is given JSON. */
const isOf = (type: string, liked: string): boolean =>
  liked === type || (type === mediaTypes.json && (liked === '*/*' || liked === 'application/*'));

/** The format that an Accept header likes best; JSON where it says nothing of any. */
export const acceptedFormat = (accept: string | undefined): ExportFormat => {
  const liked = (accept ?? '').split(',').map((part) => {
    const [type = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    const quality = parameters.find((text) => text.startsWith('q='))?.slice(2);
    return { type, quality: quality === undefined ? 1 : Number(quality) || 0 };
  });
  const formats = Object.entries(mediaTypes) as [ExportFormat, string][];
  const [best] = formats
    .map(([format, type]) => ({
      format,
      quality: Math.max(0, ...liked.filter((one) => isOf(type, one.type)).map(({ quality }) => quality)),
    }))
    .sort((one, other) => other.quality - one.quality);
  return best && best.quality > 0 ? best.format : 'json';
};

interface ExportAsked<Asked> {
  readonly asked: Asked;
  readonly name: string;
  /** Of the answer, beside those of every export. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An export of the management API. */
interface ExportDeclaration<Fields extends ExportFields, Asked> {
  readonly path: string;
  readonly summary: string;
  readonly view: Pick<AnyProjection, 'name'>;
  /** Of the query and of the body, each optional. */
  readonly fields: z.ZodType<Fields>;
  /** The schema of one row. */
  readonly row: z.ZodType;
  readonly what: Export<Asked>;
  readonly file: string;
  /** What is asked for, and the name of the file without its extension. Refuses what cannot be. */
  readonly ask: (fields: Fields) => ExportAsked<Asked> | Promise<ExportAsked<Asked>>;
}

export const exportRoute = <Fields extends ExportFields, Asked>(
  { exports }: Pick<ProjectionDeps, 'exports'>,
  { path, summary, view, fields, row, what, file, ask }: ExportDeclaration<Fields, Asked>,
): Route =>
  route({
    method: 'POST',
    base: 'management',
    service: 'projection',
    caller: reader,
    path,
    summary,
    schemas: { query: fields, body: fields },
    response: z.array(row),
    alsoAs: [mediaTypes.csv, mediaTypes.ndjson],
    errors: ['too-busy'],
    reads: [view],
    file,
    handle: async ({ query, body, header }) => {
      const given = { ...query, ...defined(body) };
      const format = given.format ?? acceptedFormat(header('accept'));
      const { asked, name, headers } = await ask(given);
      return {
        status: 200,
        stream: await exports.open(what, asked, format),
        headers: {
          ...headers,
          'Content-Type': `${mediaTypes[format]}${format === 'ndjson' ? '' : '; charset=utf-8'}`,
          Vary: 'Accept',
          ...(format !== 'json' && { 'Content-Disposition': `attachment; filename="${name}.${format}"` }),
        },
      };
    },
  });
