import type { IncomingMessage, RequestListener } from 'node:http';
import { isFromThisMachine } from './this-machine.ts';

/**
 * Says that of this request nothing was read and nothing done, so that a gateway may send it to another replica,
 * whatever it asks for.
 */
export const notBegun = 'Tillroll-Not-Begun';

export interface StartingOptions {
  readonly reason: () => string;
  /** Whether a credential is the API key: users cannot be looked up yet. */
  readonly isApiKey: (credential: string) => boolean;
}

/** Answers while a process is being opened: it lives, it serves nobody yet, and why. */
export const startingApp = ({ reason, isApiKey }: StartingOptions): RequestListener => {
  const mayKnow = (request: IncomingMessage): boolean => {
    const credential = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
    return isFromThisMachine(request) || (credential !== undefined && isApiKey(credential));
  };
  return (request, response) => {
    const answer = (status: number, body: object, headers: Record<string, string> = {}): void => {
      response
        .writeHead(status, {
          'Content-Type': 'application/json; charset=utf-8',
          'X-Content-Type-Options': 'nosniff',
          'Cache-Control': 'no-store',
          'Retry-After': '1',
          ...headers,
        })
        .end(JSON.stringify(body));
    };
    // Whatever was sent is not read.
    request.resume();
    const [path] = (request.url ?? '').split('?');
    switch (path) {
      case '/health/live':
        return answer(200, { status: 'live' });
      case '/health/ready': {
        const why = mayKnow(request) ? { reasons: [{ name: 'start', reason: reason() }] } : {};
        return answer(503, { status: 'not ready', ...why });
      }
      default: {
        const message = 'The shop is being opened. Try again in a moment.';
        return answer(503, { success: false, message }, { [notBegun]: 'true' });
      }
    }
  };
};
