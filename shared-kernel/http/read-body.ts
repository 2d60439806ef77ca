import express, { type Request, type Response } from 'express';
import { Rejection } from '#kernel/rejection.ts';
import type { Base } from './route.ts';

const megabyte = 1_000_000;

/** The largest body of each surface (decisions, management 1). */
const limits: Readonly<Record<Base, number>> = {
  storefront: megabyte / 10,
  checkout: megabyte / 10,
  management: megabyte,
  testing: megabyte,
  root: megabyte,
};

const readers = Object.fromEntries(
  Object.entries(limits).map(([base, limit]) => [base, express.json({ limit, strict: false })]),
) as Readonly<Record<Base, ReturnType<typeof express.json>>>;

/**
 * The JSON body of a request; `{}` when there is none. Throws a Rejection `body-too-large`, `invalid-json`, or
 * `invalid-request` for a body that is said not to be JSON.
 */
export const readBody = (base: Base, request: Request, response: Response): Promise<unknown> =>
  new Promise((resolve, reject) => {
    readers[base](request, response, (error?: unknown) => {
      if (error !== undefined) reject(bodyProblem(base, error));
      else if (request.body !== undefined) resolve(request.body);
      else if (hasContent(request)) reject(notJson);
      else resolve({});
    });
  });

const hasContent = ({ headers }: Request): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const notJson = new Rejection(
  'invalid-request',
  'A JSON body was expected: send it with Content-Type: application/json.',
);

const bodyProblem = (base: Base, error: unknown): unknown => {
  const status = (error as { readonly status?: number }).status ?? 500;
  if (status === 413)
    return new Rejection('body-too-large', `A body of at most ${limits[base]} bytes was expected.`);
  if (status >= 400 && status < 500)
    return new Rejection('invalid-json', 'The body could not be read as JSON.');
  return error;
};
