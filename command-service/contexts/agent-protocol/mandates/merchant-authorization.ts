import type { KeyObject } from 'node:crypto';
import canonicalize from 'canonicalize';
import { flattenedVerify } from 'jose';
import type { Json } from '#agents/dialects.ts';
import type { OwnKeys, Signer } from '#agents/own-keys.ts';
import { es256Key } from '#signatures/public-keys.ts';

const base64url = (text: string): string => Buffer.from(text).toString('base64url');

/** The bytes of a body that are signed: all but `ap2`, in the canonical form of RFC 8785. */
const payloadOf = ({ ap2: _, ...terms }: Json): string => base64url(canonicalize(terms) ?? '');

/** The shop's signature on the terms in a body: a JWS without its payload. */
export const authorize = (body: Json, signer: Signer): string => {
  const header = base64url(JSON.stringify({ alg: 'ES256', kid: signer.kid }));
  const signature = signer.sign(Buffer.from(`${header}.${payloadOf(body)}`));
  return `${header}..${signature.toString('base64url')}`;
};

/** Whether the shop has signed the terms in a body, by a key that it still accepts. */
export const isAuthorized = async (
  body: Json,
  authorization: string,
  ownKeys: Pick<OwnKeys, 'find'>,
): Promise<boolean> => {
  const [header = '', payload, signature = '', ...more] = authorization.split('.');
  if (payload !== '' || more.length > 0) return false;
  const keyOf = ({ kid }: { readonly kid?: string }): KeyObject => {
    const published = kid === undefined ? undefined : ownKeys.find(kid);
    const key = published && es256Key(published);
    if (!key) throw new TypeError('no key of this shop');
    return key;
  };
  try {
    const jws = { protected: header, payload: payloadOf(body), signature };
    await flattenedVerify(jws, keyOf, { algorithms: ['ES256'] });
    return true;
  } catch {
    return false;
  }
};
