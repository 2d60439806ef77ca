/** A request to an address that a caller has named. */
export interface OutgoingRequest {
  /** Default: POST. */
  readonly method?: 'GET' | 'POST';
  readonly targetUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** End to end, real time: resolving, connecting, sending and the whole answer. */
  readonly timeoutMs: number;
}

/** What an attempt came to. An `error` makes it a failure whatever the status. */
export interface SendOutcome {
  readonly statusCode: number | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly durationMs: number;
  readonly error: string | null;
}

/** Opens connections to addresses that callers name. */
export interface Sender {
  /** One request. Never throws: a failure is an outcome with an `error`. */
  send(request: OutgoingRequest): Promise<SendOutcome>;
  /** Closes all connections; after the last send. */
  close(): void;
}
