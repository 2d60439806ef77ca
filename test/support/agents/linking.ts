import { createHash, randomBytes } from 'node:crypto';
import { CHECKOUT_SCOPE } from '#agents/access-tokens.ts';
import type { ApiResponse } from '../browser.ts';
import { Customer, goodPassword } from '../member-shop.ts';

export const CLIENT_SECRET = 'a secret: of pia+max';

/** As an owner registers them: one that keeps a secret, one that cannot. */
export const pia = {
  clientId: 'pia',
  name: 'Pia & Friends',
  profileUri: 'https://pia.example/profile.json',
  redirectUris: ['https://pia.example/linked', 'https://pia.example/linked?from=shop'],
  clientSecretHash: `sha256:${createHash('sha256').update(CLIENT_SECRET).digest('hex')}`,
};
export const max = {
  clientId: 'max-app',
  name: 'Max',
  profileUri: 'https://max.example/profile.json',
  redirectUris: ['http://127.0.0.1/callback', 'http://[::1]/callback', 'com.example.max:/callback'],
};

export const linkingEnvironment: Readonly<Record<string, string>> = {
  Protocol__Ucp__Capabilities__IdentityLinking: 'true',
  Protocol__Ucp__OAuth__Clients: JSON.stringify([pia, max]),
};

export type Client = typeof pia | typeof max;

export const newVerifier = (): string => randomBytes(32).toString('base64url');

const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

export type Fields = Readonly<Record<string, string | undefined>>;

const encoded = (fields: Fields): string => {
  const said = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  return new URLSearchParams(said).toString();
};

/** What a client asks a member for; undefined leaves a parameter out. */
export const authorization = (client: Client, verifier: string, changes: Fields = {}): Fields => ({
  response_type: 'code',
  client_id: client.clientId,
  redirect_uri: client.redirectUris[0],
  scope: CHECKOUT_SCOPE,
  state: 'xyz',
  code_challenge: challengeOf(verifier),
  code_challenge_method: 'S256',
  ...changes,
});

const formType = { 'Content-Type': 'application/x-www-form-urlencoded' };

const signs: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const plain = (escaped: string): string =>
  escaped.replace(/&([a-z]+|#39);/g, (_, name: string) => signs[name] ?? '');

/** The fields of the form on a page. */
const fieldsOf = ({ text }: ApiResponse): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(
      ([, name = '', value = '']) => [name, plain(value)],
    ),
  );

/** Where an answer sends the browser, and what it says there. */
export const answerIn = ({ headers }: ApiResponse): Record<string, string> =>
  Object.fromEntries(new URL(headers.get('location') ?? 'none:').searchParams);

/** A member before a browser. */
export class LinkingMember extends Customer {
  open = (fields: Fields): Promise<ApiResponse> => this.get(`/oauth/authorize?${encoded(fields)}`);
  /** Presses a button of a page. */
  press = (page: ApiResponse, action: string, typed: Fields = {}): Promise<ApiResponse> =>
    this.sendForm({ ...fieldsOf(page), ...typed, action });
  sendForm = (fields: Fields): Promise<ApiResponse> =>
    this.call('POST', '/oauth/authorize', encoded(fields), { ...formType, 'X-Forwarded-For': this.from });
  /** From the client to the shop and back, for a member who is signed in; returns the code. */
  async consent(client: Client, verifier: string, changes: Fields = {}): Promise<string> {
    const answer = await this.press(await this.open(authorization(client, verifier, changes)), 'allow');
    const { code } = answerIn(answer);
    if (code === undefined) throw new Error(`${answer.status}: ${answer.text}`);
    return code;
  }
  signInOn = (page: ApiResponse, email: string, password = goodPassword): Promise<ApiResponse> =>
    this.press(page, 'sign-in', { email, password });
}

const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`;

/** How a client shows who it is. */
export const credentials = (client: Client, secret = CLIENT_SECRET): Record<string, string> =>
  'clientSecretHash' in client ? { Authorization: basic(client.clientId, secret) } : {};

/** The server of an agent, or its app. */
export class LinkingClient extends Customer {
  readonly client: Client;

  constructor(base: string, client: Client) {
    super(base);
    this.client = client;
  }

  send = (path: string, fields: Fields, headers = credentials(this.client)): Promise<ApiResponse> => {
    const id = 'clientSecretHash' in this.client ? {} : { client_id: this.client.clientId };
    return this.call('POST', path, encoded({ ...id, ...fields }), { ...formType, ...headers });
  };
  token = (fields: Fields, headers?: Record<string, string>) => this.send('/oauth/token', fields, headers);
  redeem = (code: string, verifier: string, changes: Fields = {}, headers?: Record<string, string>) =>
    this.token(
      {
        grant_type: 'authorization_code',
        code,
        redirect_uri: this.client.redirectUris[0],
        code_verifier: verifier,
        ...changes,
      },
      headers,
    );
  refresh = (refreshToken: string, changes: Fields = {}) =>
    this.token({ grant_type: 'refresh_token', refresh_token: refreshToken, ...changes });
  revoke = (token: string, headers?: Record<string, string>) =>
    this.send('/oauth/revoke', { token, token_type_hint: 'access_token' }, headers);
  /** All of it for a member who has signed in. */
  async link(
    member: LinkingMember,
  ): Promise<{ readonly access_token: string; readonly refresh_token: string }> {
    const verifier = newVerifier();
    const answer = await this.redeem(await member.consent(this.client, verifier), verifier);
    if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
    return answer.body;
  }
}
