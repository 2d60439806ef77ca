import { createHash, timingSafeEqual } from 'node:crypto';
import type { FindClient, OAuthClient } from '#agents/oauth-clients.ts';
import { HttpRejection } from '#http/errors.ts';

/** How a client identifies itself. */
export interface ClientCredentials {
  readonly authorization: string | undefined;
  /** `client_id` of the form. */
  readonly clientId: string | undefined;
}

const unknown = (message: string): HttpRejection =>
  new HttpRejection('invalid-client', message, {
    'WWW-Authenticate': 'Basic realm="oauth", charset="UTF-8"',
  });

/** Form-encoded, so that a colon may be in both (RFC 6749, 2.3.1). */
const decoded = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '));

const readBasic = (authorization: string): { readonly id: string; readonly secret: string } | null => {
  const [, encoded] = /^Basic +([\w+/=-]+) *$/i.exec(authorization) ?? [];
  const [, id, secret] = /^([^:]*):([^]*)$/.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? [];
  try {
    return id === undefined || secret === undefined ? null : { id: decoded(id), secret: decoded(secret) };
  } catch {
    return null;
  }
};

const isSecretOf = (hash: string, secret: string): boolean => {
  const expected = Buffer.from(hash.slice('sha256:'.length), 'hex');
  return timingSafeEqual(createHash('sha256').update(secret).digest(), expected);
};

/** Throws Rejection `invalid-client`: it is unknown, or its secret is wrong or missing. */
export const authenticate = (
  find: FindClient,
  { authorization, clientId }: ClientCredentials,
): OAuthClient => {
  const basic = authorization === undefined ? undefined : readBasic(authorization);
  if (basic === null) throw unknown('Authorization: must be Basic with the id and the secret of the client.');
  const client = find(basic?.id ?? clientId ?? '');
  if (!client || (basic && clientId !== undefined && clientId !== basic.id))
    throw unknown('client_id: must be that of a registered client.');
  const { clientSecretHash: hash } = client;
  const isProven =
    hash === null ? basic === undefined : basic !== undefined && isSecretOf(hash, basic.secret);
  if (!isProven)
    throw unknown(
      hash === null
        ? 'This client has no secret: send client_id in the form, without Authorization.'
        : 'The secret of the client is wrong or missing: send it as HTTP Basic.',
    );
  return client;
};
