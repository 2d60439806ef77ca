import type { IncomingMessage, RequestListener } from 'node:http';
import type { CrossOrigin } from './cross-origin.ts';
import { bearerOf } from './bearer.ts';
import { correlationIdOf } from './request-facts.ts';
import { surfaceAt } from './surfaces/surfaces.ts';
import { isFromThisMachine } from './this-machine.ts';

/**
 * Says that nothing of this request was read or done, so that a gateway may send it to another replica, whatever it
 * asks for.
 */
export const notBegun = 'Tillroll-Not-Begun';

export interface StartingOptions {
  readonly reason: () => string;
  /** Whether a credential is the API key: users cannot be looked up yet. */
  readonly isApiKey: (credential: string) => boolean;
  readonly crossOrigin: Pick<CrossOrigin, 'headersFor'>;
}

/** Responds while a process is being opened: it is alive, not serving yet, and why. */
export const startingApp = ({ reason, isApiKey, crossOrigin }: StartingOptions): RequestListener => {
  const mayKnow = (request: IncomingMessage): boolean => {
    const credential = bearerOf(request.headers.authorization);
    return isFromThisMachine(request) || (credential !== undefined && isApiKey(credential));
  };
  return (request, response) => {
    const correlationId = correlationIdOf(request);
    const [path = ''] = (request.url ?? '').split('?');
    const surface = surfaceAt(path);
    const answer = (status: number, body: string, headers: Record<string, string> = {}): void => {
      response
        .writeHead(status, {
          'Content-Type': 'application/json; charset=utf-8',
          'X-Correlation-Id': correlationId,
          'X-Content-Type-Options': 'nosniff',
          'Cache-Control': 'no-store',
          'Retry-After': '1',
          ...headers,
          ...crossOrigin.headersFor(surface, request.headers.origin),
        })
        .end(body);
    };
    // The body is not read.
    request.resume();
    switch (path) {
      case '/health':
      case '/health/live':
        return answer(200, JSON.stringify({ status: 'live' }));
      case '/health/ready': {
        const why = mayKnow(request) ? { reasons: [{ name: 'start', reason: reason() }] } : {};
        return answer(503, JSON.stringify({ status: 'not ready', ...why }));
      }
      default: {
        const message = 'The shop is being opened. Try again in a moment.';
        const failure = { status: 503, code: 'starting', message, details: {}, correlationId, agent: null };
        const { status = 503, json, text, headers } = surface.errors.write(failure);
        return answer(status, text ?? JSON.stringify(json), { [notBegun]: 'true', ...headers });
      }
    }
  };
};
