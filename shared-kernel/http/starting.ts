import type { RequestListener } from 'node:http';

/** Answers while a process is being opened: it lives, it serves nobody yet, and why. */
export const startingApp =
  (reason: () => string): RequestListener =>
  (request, response) => {
    const answer = (status: number, body: object): void => {
      response
        .writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Retry-After': '1' })
        .end(JSON.stringify(body));
    };
    // Whatever was sent is not read.
    request.resume();
    switch (request.url) {
      case '/health/live':
        return answer(200, { status: 'live' });
      case '/health/ready':
        return answer(503, { status: 'not ready', reasons: [{ name: 'start', reason: reason() }] });
      default:
        return answer(503, { success: false, message: 'The shop is being opened. Try again in a moment.' });
    }
  };
