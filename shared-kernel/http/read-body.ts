import { parse as parseForm } from 'node:querystring';
import express, { type Request, type Response } from 'express';
import { Rejection } from '#kernel/rejection.ts';
import type { BodyRule } from './surfaces/surface.ts';

type Reader = ReturnType<typeof express.json>;

const noBytes = Buffer.alloc(0);
const BYTE_ORDER_MARK = '\uFEFF';

/** A reader for each size, made when it is first needed. */
const readers = (make: (limit: number) => Reader): ((limit: number) => Reader) => {
  const made = new Map<number, Reader>();
  return (limit) => {
    const known = made.get(limit);
    if (known) return known;
    const reader = make(limit);
    made.set(limit, reader);
    return reader;
  };
};

const jsonReader = readers((limit) => express.json({ limit, strict: false }));
const bytesReader = readers((limit) => express.raw({ limit, inflate: false, type: () => true }));

interface Kind {
  readonly contentType: string;
  readonly parse: (text: string) => unknown;
  /** The refusal of a body that is said to be something else. */
  readonly unexpected: () => Rejection;
  readonly unreadable: () => Rejection;
  /** The codes of refusals beside `invalid-request`. */
  readonly errors: readonly string[];
}

const jsonExpected = (): Rejection =>
  new Rejection('invalid-request', 'The body must be JSON: send it with Content-Type: application/json.');

const kinds: Readonly<Record<BodyRule['kind'], Kind>> = {
  json: {
    contentType: 'application/json',
    parse: (text) => JSON.parse(text),
    unexpected: jsonExpected,
    unreadable: () => new Rejection('invalid-json', 'The body could not be read as JSON.'),
    errors: ['invalid-json', 'body-too-large'],
  },
  jsonText: {
    contentType: 'application/json',
    parse: (text) => text,
    unexpected: jsonExpected,
    unreadable: () => new Rejection('invalid-request', 'The body could not be read as UTF-8.'),
    errors: ['body-too-large'],
  },
  form: {
    contentType: 'application/x-www-form-urlencoded',
    parse: (text) => ({ ...parseForm(text) }),
    unexpected: () =>
      new Rejection(
        'invalid-request',
        'The body must be a form: send it with Content-Type: application/x-www-form-urlencoded.',
      ),
    unreadable: () => new Rejection('invalid-request', 'The body could not be read as a form.'),
    errors: ['body-too-large'],
  },
  csv: {
    contentType: 'text/csv',
    parse: (text) => text,
    unexpected: () =>
      new Rejection('invalid-request', 'The body must be a CSV file: send it with Content-Type: text/csv.'),
    unreadable: () => new Rejection('invalid-request', 'The file could not be read as UTF-8.'),
    errors: ['body-too-large'],
  },
};

/** In the OpenAPI description. */
export const contentTypeOf = ({ kind }: BodyRule): string => kinds[kind].contentType;

/** The codes with which a body may be refused, beside `invalid-request`. */
export const bodyErrorsOf = ({ kind }: BodyRule): readonly string[] => kinds[kind].errors;

/**
 * The body of a request; `{}` when there is none. Throws a Rejection `body-too-large`, `invalid-json`, or
 * `invalid-request` for a body of another declared kind.
 */
export const readBody = async (rule: BodyRule, request: Request, response: Response): Promise<unknown> =>
  rule.kind === 'json'
    ? readJson(rule, request, response)
    : parseBody(rule.kind, await readRawBody(rule, request, response), request);

/** As nearly all bodies come: in no encoding, as long as they say. */
const isPlain = ({ headers, readable }: Request, maxBytes: number): boolean => {
  const length = Number(headers['content-length'] ?? 0);
  return (
    readable &&
    headers['content-encoding'] === undefined &&
    headers['transfer-encoding'] === undefined &&
    length > 0 &&
    length <= maxBytes
  );
};

/** Five times as fast as a reader that first has to find out what came. Rejects where callers leave in the middle. */
const readPlain = (request: Request, unreadable: () => Rejection): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let hasEnded = false;
    const fail = (): void => {
      if (!hasEnded) reject(unreadable());
    };
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      hasEnded = true;
      const [first = noBytes, ...others] = chunks;
      resolve(others.length === 0 ? first : Buffer.concat(chunks));
    });
    request.on('error', fail);
    request.on('close', fail);
  });

const plainTypes: ReadonlySet<string | undefined> = new Set([
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=utf-8',
]);

const readPlainJson = async (request: Request): Promise<unknown> => {
  const { parse, unreadable } = kinds.json;
  const text = (await readPlain(request, unreadable)).toString('utf8');
  try {
    return parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  } catch {
    throw unreadable();
  }
};

const readJson = (rule: BodyRule, request: Request, response: Response): Promise<unknown> =>
  plainTypes.has(request.headers['content-type']) && isPlain(request, rule.maxBytes)
    ? readPlainJson(request)
    : readAnyJson(rule, request, response);

/** What a reader of express makes of a body; undefined where it takes none of this type. */
const readWith = (
  reader: typeof jsonReader,
  { kind, maxBytes }: BodyRule,
  request: Request,
  response: Response,
): Promise<unknown> =>
  new Promise((resolve, reject) => {
    reader(maxBytes)(request, response, (error?: unknown) => {
      if (error === undefined) resolve(request.body);
      else reject(bodyProblem(kind, maxBytes, error));
    });
  });

const readAnyJson = async (rule: BodyRule, request: Request, response: Response): Promise<unknown> => {
  const body = await readWith(jsonReader, rule, request, response);
  if (body !== undefined) return body;
  if (hasContent(request)) throw kinds.json.unexpected();
  return {};
};

/** The bytes of a body as they came; none, at once, when there is no body. Throws a Rejection like `readBody`. */
export const readRawBody = (
  rule: BodyRule,
  request: Request,
  response: Response,
): Buffer | Promise<Buffer> => {
  if (!hasContent(request)) return noBytes;
  return isPlain(request, rule.maxBytes)
    ? readPlain(request, kinds[rule.kind].unreadable)
    : readAnyBytes(rule, request, response);
};

const readAnyBytes = async (rule: BodyRule, request: Request, response: Response): Promise<Buffer> => {
  const body = await readWith(bytesReader, rule, request, response);
  return Buffer.isBuffer(body) ? body : noBytes;
};

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** What bytes that were read before say. Throws a Rejection like `readBody`. */
export const parseBody = (kind: BodyRule['kind'], bytes: Buffer, request: Request): unknown => {
  if (bytes.length === 0) return {};
  const { contentType, parse, unexpected, unreadable } = kinds[kind];
  if (!request.is(contentType)) throw unexpected();
  try {
    return parse(utf8.decode(bytes));
  } catch {
    throw unreadable();
  }
};

const hasContent = ({ headers }: Request): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const MAX_ECHO = 40;

/** What the readers throw. */
interface ReaderError {
  readonly status?: number;
  readonly type?: string;
  /** Of the body, where that is what they do not take. */
  readonly encoding?: string;
}

const bodyProblem = (kind: BodyRule['kind'], limit: number, error: unknown): unknown => {
  const { status = 500, type, encoding = '' } = error as ReaderError;
  if (status === 413) return new Rejection('body-too-large', `The body must be at most ${limit} bytes.`);
  if (status < 400 || status >= 500) return error;
  const unreadable = kinds[kind].unreadable();
  if (type !== 'encoding.unsupported') return unreadable;
  const named = `Content-Encoding ${encoding.slice(0, MAX_ECHO)}`;
  return new Rejection(
    unreadable.code,
    `The body comes in ${named}, which is not taken here. Send it without.`,
  );
};
