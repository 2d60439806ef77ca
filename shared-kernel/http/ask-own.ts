import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { RequestFacts } from './request-facts.ts';

export interface OwnQuestion {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface OwnAnswer {
  /** 0: there was no answer; `body` says why. */
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed where it is JSON, else its text. */
  readonly body: unknown;
}

/** Said by proxies: the answer is to be that which the caller himself would get. */
const passedOn = ['host', 'x-forwarded-proto', 'x-forwarded-host', 'x-forwarded-for'];

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text === '' ? null : text;
  }
};

type Asker = Pick<RequestFacts, 'takenAt' | 'header'>;

const answerOf = async (response: IncomingMessage): Promise<OwnAnswer> => {
  const text = (await response.setEncoding('utf8').toArray()).join('');
  const headers = Object.entries(response.headers).map(([name, value = '']) => [name, String(value)]);
  return {
    statusCode: response.statusCode ?? 0,
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: parsed(text),
  };
};

const responseTo = async (
  { takenAt, header }: Asker,
  { method, path, headers, body }: OwnQuestion,
  signal: AbortSignal,
): Promise<IncomingMessage> => {
  const forwarded = passedOn.flatMap((name) => {
    const value = header(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const text = body === undefined ? undefined : JSON.stringify(body);
  const asked = request({
    ...takenAt,
    method,
    path,
    agent: false,
    signal,
    headers: {
      ...Object.fromEntries(forwarded),
      ...headers,
      ...(text !== undefined && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      }),
    },
  });
  asked.end(text);
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return response;
};

const DEADLINE_MILLISECONDS = 30_000;

/** Asks this very process what a caller from outside would ask it. */
export const askOwn = async (
  asker: Asker,
  question: OwnQuestion,
  deadlineMs: number = DEADLINE_MILLISECONDS,
): Promise<OwnAnswer> => {
  if (!asker.takenAt) throw new TypeError('this process can be asked over its own connection only');
  const signal = AbortSignal.timeout(deadlineMs);
  try {
    return await answerOf(await responseTo(asker, question, signal));
  } catch (error) {
    const why = signal.aborted ? `nothing came within ${deadlineMs} ms` : (error as Error).message;
    const message = `The shop did not answer itself: ${why}.`;
    return { statusCode: 0, headers: {}, body: { code: 'no_answer', message } };
  }
};
