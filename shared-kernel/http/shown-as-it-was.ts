import type { RequestListener } from 'node:http';
import { Rejection } from '#kernel/rejection.ts';
import { errorReply, HttpRejection } from './errors.ts';
import { correlationIdOf } from './request-facts.ts';
import type { Route } from './route.ts';
import { RouteTree } from './route-tree.ts';

export interface ShownAsItWas {
  /** Answers what there is to answer. */
  readonly app: RequestListener;
  /** What `app` answers of the shop. */
  readonly served: readonly Route[];
  /** Every route of a running shop. */
  readonly routes: readonly Route[];
  /** Whether a view is not there to answer from. */
  readonly lacks: (view: string) => boolean;
  /** ISO instant. */
  readonly instant: string;
  /** Of the last event that had been recorded. */
  readonly position: number;
}

const routeAt = (tree: RouteTree, method: string, path: string): Route | null => {
  const found = tree.find(method, path);
  return found && 'route' in found ? found.route : null;
};

/** What is asked of a view that a replay was made without. */
export const withoutView = (view: string): Rejection =>
  new Rejection(
    'not-in-replay',
    `This replay was made without the view ${view}: make one with it, or with all views.`,
    { view },
  );

const reading: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * A shop as it was at an instant, which every answer names: queries are answered, changes refused before anything of
 * them is read.
 */
export const shownAsItWas = ({
  app,
  served,
  routes,
  lacks,
  instant,
  position,
}: ShownAsItWas): RequestListener => {
  const here = new RouteTree(served);
  const elsewhere = new RouteTree(routes);
  const refusalOf = (method: string, path: string): Rejection | null => {
    const route = routeAt(here, method, path);
    if (route) {
      const missing = (route.reads ?? []).find(({ name }) => lacks(name));
      return missing ? withoutView(missing.name) : null;
    }
    if (!reading.has(method))
      return new HttpRejection(
        'shown-as-it-was',
        `This is the shop as it was at ${instant}: it can be read, not changed. Changes go to the running shop.`,
        { Allow: 'GET' },
      );
    return routeAt(elsewhere, method, path)
      ? new Rejection(
          'not-in-replay',
          `This is the shop as it was at ${instant}; what is asked here only the running shop knows.`,
        )
      : null;
  };
  return (request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    const refusal = refusalOf(request.method ?? '', path);
    response.setHeader('Tillroll-As-Of', `${instant}; position=${position}`);
    if (refusal === null) return app(request, response);
    const correlationId = correlationIdOf(request);
    const { status, headers, json, text } = errorReply(elsewhere.surfaceAt(path), refusal, correlationId);
    // The body is not read.
    request.resume();
    response
      .writeHead(status, {
        'Content-Type': 'application/json; charset=utf-8',
        'Cache-Control': 'no-store',
        'X-Correlation-Id': correlationId,
        'X-Content-Type-Options': 'nosniff',
        ...headers,
      })
      .end(text ?? JSON.stringify(json));
  };
};
