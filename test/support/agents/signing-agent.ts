import { once } from 'node:events';
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { PublicKey } from '#agents/agent-profile.ts';
import type { Signer } from '#agents/own-keys.ts';
import { newId } from '#kernel/ids.ts';
import { signDetached } from '#signatures/detached-jws.ts';
import type { MessageFields } from '#signatures/http-message.ts';
import { signMessage } from '#signatures/sign-message.ts';
import { Browser, type ApiResponse, type Method } from '../browser.ts';
import { startReceiver, type Receiver } from '../receiver.ts';
import { agentKey, type AgentKey } from './agent-key.ts';
import type { DatedVersion } from './answer-schemas.ts';

/** A request as it goes over the wire: header fields in their order, and more than once where a test wants that. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

export interface WireAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  // Tests read whatever an answer may hold.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

export const fieldsOf = ({ headers }: Pick<WireRequest, 'headers'>): MessageFields =>
  Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));

const parsed = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return bytes.toString();
  }
};

/** Sends it as it stands, and leaves out what a client would add. */
export const sendAsIs = async (
  base: string,
  { method, path, headers, body }: WireRequest,
): Promise<WireAnswer> => {
  const { hostname, port, host } = new URL(base);
  const named = headers.some(([name]) => name.toLowerCase() === 'host') ? [] : ['Host', host];
  const sent = request({
    ...{ hostname, port, method, path, agent: false },
    headers: [
      ...named,
      ...headers.flat(),
      ...(body.length > 0 ? ['Content-Length', String(body.length)] : []),
    ],
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const bytes = Buffer.concat((await response.toArray()) as Buffer[]);
  return { status: response.statusCode ?? 0, headers: response.headers, bytes, body: parsed(bytes) };
};

const ALWAYS = ['@method', '@authority', '@path'];
const WHERE_SENT = ['ucp-agent', 'idempotency-key', 'content-digest', 'content-type'];

/** What the protocol wants to be covered of a request. */
export const componentsOf = ({ path, headers, body }: WireRequest): readonly string[] => {
  const sent = new Set(Object.keys(fieldsOf({ headers })));
  if (body.length > 0) sent.add('content-digest');
  return [
    ...ALWAYS,
    ...(path.includes('?') ? ['@query'] : []),
    ...WHERE_SENT.filter((name) => sent.has(name)),
  ];
};

export interface SigningWith {
  readonly key?: Signer;
  readonly at?: number;
  readonly components?: readonly string[];
  readonly label?: string;
}

interface Published {
  keys: readonly PublicKey[];
}

/** An agent with keys and a profile of its own, on this machine. */
export class SigningAgent {
  readonly key: AgentKey;
  /** How far the shop's clock is ahead of this machine's. */
  aheadMs = 0;
  readonly version: DatedVersion;
  readonly #receiver: Receiver;
  readonly #published: Published;

  private constructor(receiver: Receiver, version: DatedVersion, published: Published) {
    this.#receiver = receiver;
    this.#published = published;
    this.version = version;
    this.key = agentKey('agent-key-1');
    this.keys = [this.key.published];
  }

  static async start(version: DatedVersion = '2026-04-08'): Promise<SigningAgent> {
    const published: Published = { keys: [] };
    const receiver = await startReceiver((response) =>
      response.end(JSON.stringify({ ucp: { version, capabilities: [] }, signing_keys: published.keys })),
    );
    return new SigningAgent(receiver, version, published);
  }

  /** What its profile says from now on. */
  get keys(): readonly PublicKey[] {
    return this.#published.keys;
  }
  set keys(keys: readonly PublicKey[]) {
    this.#published.keys = keys;
  }

  get profileUri(): string {
    return `${this.#receiver.url}/profile.json`;
  }

  /** How often its profile was fetched. */
  get fetches(): number {
    return this.#receiver.requests.length;
  }

  get ucpAgent(): string {
    return `profile="${this.profileUri}"`;
  }

  now(): number {
    return Date.now() + this.aheadMs;
  }

  close(): Promise<void> {
    return this.#receiver.close();
  }

  /** A request with all that is usual, unsigned. */
  request(method: Method, path: string, body?: unknown): WireRequest {
    const isWrite = method !== 'GET';
    return {
      method,
      path,
      headers: [
        ['UCP-Agent', this.ucpAgent],
        ...(isWrite ? [['Idempotency-Key', newId()] as const] : []),
        ...(body === undefined ? [] : [['Content-Type', 'application/json'] as const]),
      ],
      body: body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body)),
    };
  }

  /** The same with its signature, as the version of its profile has it. */
  signed(
    base: string,
    asked: WireRequest,
    { key = this.key, at = this.now(), components, label }: SigningWith = {},
  ): WireRequest {
    if (this.version === '2026-01-11')
      return { ...asked, headers: [...asked.headers, ['Request-Signature', signDetached(asked.body, key)]] };
    const { method, path, body } = asked;
    const message = { method, url: base + path, headers: fieldsOf(asked), body };
    const added = signMessage(message, components ?? componentsOf(asked), key, {
      at,
      ...(label !== undefined && { label }),
    });
    return { ...asked, headers: [...asked.headers, ...Object.entries(added)] };
  }

  /** Asks a shop, signed. */
  ask(base: string, method: Method, path: string, body?: unknown): Promise<WireAnswer> {
    return sendAsIs(base, this.signed(base, this.request(method, path, body)));
  }
}

/** The same agent with what a browser can, for purchases. */
export class SigningBrowser extends Browser {
  readonly #agent: SigningAgent;

  constructor(base: string, agent: SigningAgent) {
    super(base, { 'UCP-Agent': agent.ucpAgent });
    this.#agent = agent;
  }

  override call(
    method: Method,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse> {
    const text = body === undefined ? '' : JSON.stringify(body);
    const sent: WireRequest = {
      method,
      path,
      headers: [
        ['UCP-Agent', this.#agent.ucpAgent],
        ...Object.entries(headers),
        ...(body === undefined ? [] : [['Content-Type', 'application/json'] as const]),
      ],
      body: Buffer.from(text),
    };
    const added = this.#agent.signed(this.base, sent).headers.slice(sent.headers.length);
    return super.call(method, path, body === undefined ? undefined : text, {
      ...headers,
      ...Object.fromEntries(added),
    });
  }
}
