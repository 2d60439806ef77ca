import { es256Key, isSignedWith, type FindKey } from './public-keys.ts';
import type { Signer } from '#agents/own-keys.ts';
import { absent, keyNotFound, keyUnsupported, signatureInvalid, type Verification } from './verification.ts';

const signingInput = (header: string, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${header}.`), body]);

/** A JWS detached from its body (RFC 7515, appendix F), which is signed unencoded (RFC 7797). */
export const signDetached = (body: Buffer, { kid, sign }: Signer): string => {
  const protectedHeader = { alg: 'ES256', kid, b64: false, crit: ['b64'] };
  const header = Buffer.from(JSON.stringify(protectedHeader)).toString('base64url');
  return `${header}..${sign(signingInput(header, body)).toString('base64url')}`;
};

type Members = Readonly<Record<string, unknown>>;

const membersIn = (header: string): Members | null => {
  try {
    const members: unknown = JSON.parse(Buffer.from(header, 'base64url').toString('utf8'));
    return typeof members === 'object' && members !== null ? (members as Members) : null;
  } catch {
    return null;
  }
};

/** Whether `b64: false` is the only critical extension. */
const isOfPlainBody = ({ b64, crit }: Members): boolean =>
  b64 === false && Array.isArray(crit) && crit.length === 1 && crit[0] === 'b64';

/** Whether it has three parts, and nothing in the middle. */
export const isDetached = (jws: string): boolean => {
  const parts = jws.split('.');
  return parts.length === 3 && parts[1] === '';
};

/** Verifies a body's signature. A field that is no detached JWS counts as none. */
export const verifyDetached = (jws: string, body: Buffer, findKey: FindKey): Verification => {
  if (!isDetached(jws)) return absent;
  const [header = '', , signature = ''] = jws.split('.');
  const members = membersIn(header);
  if (!members) return signatureInvalid('its header must be a JSON object, in base64url');
  const { kid, alg } = members;
  const published = typeof kid === 'string' ? findKey(kid) : undefined;
  if (typeof kid !== 'string' || !published) return keyNotFound(typeof kid === 'string' ? [kid] : []);
  const key = es256Key(published);
  if (key === null || alg !== 'ES256') return keyUnsupported(kid);
  if (!isOfPlainBody(members)) return signatureInvalid('its header must say b64: false, crit: ["b64"]');
  const bytes = Buffer.from(signature, 'base64url');
  const isCanonical = bytes.toString('base64url') === signature;
  if (isCanonical && isSignedWith(key, signingInput(header, body), bytes)) return { kind: 'verified', kid };
  return signatureInvalid('it is not a signature by the key over this body, as 64 bytes r and s');
};
