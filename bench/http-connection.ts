import { connect, type Socket } from 'node:net';

export interface HttpResponse {
  readonly status: number;
  readonly body: Buffer;
  /** `name=value` of each Set-Cookie header. */
  readonly cookies: readonly string[];
  /** Status line and header fields; empty for a request that used no connection. */
  readonly head: string;
}

/** One request at a time to a shop, wherever it is. */
export interface Connection {
  request(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    cookies: string,
    body: string | null,
    idempotencyKey?: string,
    /** Of the body, by a provider that calls. */
    signature?: string,
    /** The profile of the agent that asks. */
    agent?: string,
    /** Further header fields, each with its line's end. */
    further?: string,
  ): Promise<HttpResponse>;
  close(): void;
}

const headEnd = Buffer.from('\r\n\r\n');
const lengthHeader = /\r\ncontent-length: *(\d+)/i;
const cookieHeader = /\r\nset-cookie: *([^;\r]*)/gi;
const none: readonly string[] = [];
const nothing = Buffer.alloc(0);

interface Head {
  readonly status: number;
  readonly length: number;
  readonly cookies: readonly string[];
  readonly text: string;
  readonly bodyFrom: number;
}

/**
 * One kept-alive connection, one request at a time. It knows just enough HTTP for our own servers and costs a fraction
 * of what a full client does, so that the load never needs more than its own core. Errors: a connection that ends, an
 * answer without Content-Length.
 */
export class HttpConnection implements Connection {
  readonly #host: string;
  readonly #socket: Socket;
  #received: Buffer = nothing;
  #head: Head | null = null;
  #waiting: { resolve: (answer: HttpResponse) => void; reject: (error: Error) => void } | null = null;
  #error: Error | null = null;

  constructor(port: number) {
    this.#host = `127.0.0.1:${port}`;
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('data', (chunk: Buffer) => this.#take(chunk));
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('the server closed the connection')));
  }

  request(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    cookies: string,
    body: string | null,
    idempotencyKey = '',
    signature = '',
    agent = '',
    further = '',
  ): Promise<HttpResponse> {
    let text = `${method} ${path} HTTP/1.1\r\nHost: ${this.#host}\r\n`;
    if (cookies !== '') text += `Cookie: ${cookies}\r\n`;
    if (idempotencyKey !== '') text += `Idempotency-Key: ${idempotencyKey}\r\n`;
    if (signature !== '') text += `X-Signature: ${signature}\r\n`;
    if (agent !== '') text += `UCP-Agent: profile="${agent}"\r\n`;
    text += further;
    if (body === null) text += '\r\n';
    else
      text += `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    return new Promise((resolve, reject) => {
      if (this.#error) return reject(this.#error);
      this.#waiting = { resolve, reject };
      this.#socket.write(text);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #fail(error: Error): void {
    this.#error ??= error;
    this.#waiting?.reject(error);
    this.#waiting = null;
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    this.#head ??= this.#readHead();
    if (this.#head === null) return;
    const { status, length, cookies, text, bodyFrom } = this.#head;
    if (this.#received.length < bodyFrom + length) return;
    const body = this.#received.subarray(bodyFrom, bodyFrom + length);
    this.#received = this.#received.subarray(bodyFrom + length);
    this.#head = null;
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.resolve({ status, body, cookies, head: text });
  }

  #readHead(): Head | null {
    const end = this.#received.indexOf(headEnd);
    if (end < 0) return null;
    const text = this.#received.toString('latin1', 0, end);
    const status = Number(text.slice(9, 12));
    const length = lengthHeader.exec(text)?.[1];
    if (length === undefined && status !== 204) {
      this.#fail(new Error(`an answer without Content-Length:\n${text}`));
      return null;
    }
    const cookies = text.includes('ookie:')
      ? Array.from(text.matchAll(cookieHeader), ([, pair]) => pair ?? '')
      : none;
    return { status, length: Number(length ?? 0), cookies, text, bodyFrom: end + headEnd.length };
  }
}
