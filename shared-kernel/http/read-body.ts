import express, { type Request, type Response } from 'express';
import { Rejection } from '#kernel/rejection.ts';
import type { Base, Route } from './route.ts';

const megabyte = 1_000_000;

/** The largest body of each surface (decisions, management 1). */
const limits: Readonly<Record<Base, number>> = {
  storefront: megabyte / 10,
  checkout: megabyte / 10,
  management: megabyte,
  testing: megabyte,
  root: megabyte,
};

type Reader = ReturnType<typeof express.json>;

const readers = new Map<number, Reader>();

const readerFor = (limit: number): Reader => {
  const known = readers.get(limit);
  if (known) return known;
  const reader = express.json({ limit, strict: false });
  readers.set(limit, reader);
  return reader;
};

/**
 * The JSON body of a request; `{}` when there is none. Throws a Rejection `body-too-large`, `invalid-json`, or
 * `invalid-request` for a body that is said not to be JSON.
 */
export const readBody = (
  { base, maxBodyBytes = limits[base] }: Pick<Route, 'base' | 'maxBodyBytes'>,
  request: Request,
  response: Response,
): Promise<unknown> =>
  new Promise((resolve, reject) => {
    readerFor(maxBodyBytes)(request, response, (error?: unknown) => {
      if (error !== undefined) reject(bodyProblem(maxBodyBytes, error));
      else if (request.body !== undefined) resolve(request.body);
      else if (hasContent(request)) reject(notJson());
      else resolve({});
    });
  });

const hasContent = ({ headers }: Request): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const notJson = (): Rejection =>
  new Rejection('invalid-request', 'A JSON body was expected: send it with Content-Type: application/json.');

const bodyProblem = (limit: number, error: unknown): unknown => {
  const status = (error as { readonly status?: number }).status ?? 500;
  if (status === 413)
    return new Rejection('body-too-large', `A body of at most ${limit} bytes was expected.`);
  if (status >= 400 && status < 500)
    return new Rejection('invalid-json', 'The body could not be read as JSON.');
  return error;
};
