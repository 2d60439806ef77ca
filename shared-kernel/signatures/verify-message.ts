import { parseDictionary, type BareItem, type InnerList, type Item } from 'structured-headers';
import { digestProblem } from './content-digest.ts';
import { fieldValue, isRequest, urlParts, type HttpMessage, type MessageFields } from './http-message.ts';
import { es256Key, isSignedWith, type FindKey } from './public-keys.ts';
import { baseBytes, ComponentProblem, signatureBase } from './signature-base.ts';
import {
  absent,
  keyNotFound,
  keyUnsupported,
  refused,
  signatureInvalid,
  type Verification,
} from './verification.ts';

export interface VerifyOptions {
  /** Milliseconds. */
  readonly now: number;
  /** Components beside those that every message must cover. */
  readonly needed?: readonly string[];
}

export interface LabelledSignature {
  readonly kid: string | null;
  readonly covered: InnerList | null;
  /** Null where the label has none. */
  readonly signature: Uint8Array | null;
}

const MOST_LOOKED_AT = 3;
/** Each costs work on the message. */
const MOST_COMPONENTS = 50;
const OLDEST_SECONDS = 300;
const MOST_AHEAD_SECONDS = 60;

const dictionaryOf = (field: string | undefined): ReturnType<typeof parseDictionary> | null => {
  if (field === undefined) return null;
  try {
    const members = parseDictionary(field);
    return members.size === 0 ? null : members;
  } catch {
    return null;
  }
};

const isInnerList = (member: Item | InnerList): member is InnerList => Array.isArray(member[0]);

/** The first signatures of a message; null where one of the two fields is missing or malformed. */
export const signaturesOf = (headers: MessageFields): readonly LabelledSignature[] | null => {
  const inputs = dictionaryOf(fieldValue(headers, 'signature-input'));
  const signatures = inputs && dictionaryOf(fieldValue(headers, 'signature'));
  if (!signatures) return null;
  return [...inputs].slice(0, MOST_LOOKED_AT).map(([label, input]) => {
    const covered = isInnerList(input) ? input : null;
    const kid = covered?.[1].get('keyid');
    const signature = signatures.get(label)?.[0];
    return {
      kid: typeof kid === 'string' ? kid : null,
      covered,
      signature: signature instanceof ArrayBuffer ? new Uint8Array(signature) : null,
    };
  });
};

const isSent = ({ headers }: HttpMessage, name: string): boolean => fieldValue(headers, name) !== undefined;

/** What a signature must cover, at least. */
export const neededComponents = (message: HttpMessage): readonly string[] => {
  const ofBody = message.body.length > 0 ? ['content-digest', 'content-type'] : [];
  if (!isRequest(message)) return ['@status', ...ofBody];
  const sent = ['ucp-agent', 'idempotency-key'].filter((name) => isSent(message, name));
  const query = urlParts(message.url).query === '' ? [] : ['@query'];
  return ['@method', '@authority', '@path', ...query, ...sent, ...ofBody];
};

const isSeconds = (value: BareItem | undefined): value is number => Number.isInteger(value);

/** Why a signature's time is refused; null: it is not. */
const timeProblem = ([, parameters]: InnerList, now: number): string | null => {
  const [created, expires] = [parameters.get('created'), parameters.get('expires')];
  const seconds = now / 1000;
  if (!isSeconds(created)) return 'created must say when it was made, in seconds';
  if (seconds - created > OLDEST_SECONDS) return `it is older than ${OLDEST_SECONDS} s`;
  if (created - seconds > MOST_AHEAD_SECONDS) return `it was made more than ${MOST_AHEAD_SECONDS} s ahead`;
  if (expires === undefined) return null;
  return isSeconds(expires) && seconds <= expires ? null : 'it has expired';
};

const coverProblem = ([items]: InnerList, needed: readonly string[]): string | null => {
  if (items.length > MOST_COMPONENTS) return `it covers more than ${MOST_COMPONENTS} components`;
  const covered = new Set(items.flatMap(([name, parameters]) => (parameters.size === 0 ? [name] : [])));
  const missing = needed.filter((name) => !covered.has(name));
  return missing.length === 0 ? null : `it does not cover ${missing.join(', ')}`;
};

const checked = (
  message: HttpMessage,
  { kid, covered, signature }: LabelledSignature & { readonly kid: string; readonly covered: InnerList },
  key: Parameters<typeof isSignedWith>[0],
  { now, needed = [] }: VerifyOptions,
): Verification => {
  const problem =
    timeProblem(covered, now) ?? coverProblem(covered, [...neededComponents(message), ...needed]);
  if (problem !== null) return signatureInvalid(problem);
  try {
    const bytes = baseBytes(signatureBase(message, covered));
    if (signature && isSignedWith(key, bytes, signature)) return { kind: 'verified', kid };
    return signatureInvalid('it is not a signature by the key over this message, as 64 bytes r and s');
  } catch (error) {
    if (error instanceof ComponentProblem) return signatureInvalid(error.message);
    throw error;
  }
};

/**
 * Verifies one of a message's first three signatures: the first whose key is known.
 */
export const verifySignatures = (
  message: HttpMessage,
  signatures: readonly LabelledSignature[],
  findKey: FindKey,
  options: VerifyOptions,
): Verification => {
  const digest = digestProblem(fieldValue(message.headers, 'content-digest'), message.body);
  if (digest !== null) return refused('digest_mismatch', digest);
  for (const signature of signatures) {
    const { kid, covered } = signature;
    const published = kid === null ? undefined : findKey(kid);
    if (kid === null || covered === null || published === undefined) continue;
    const key = es256Key(published);
    const algorithm = covered[1].get('alg') ?? 'ecdsa-p256-sha256';
    if (key === null || algorithm !== 'ecdsa-p256-sha256') return keyUnsupported(kid);
    return checked(message, { ...signature, kid, covered }, key, options);
  }
  return keyNotFound(signatures.flatMap(({ kid }) => kid ?? []));
};

/** Verifies a message's signature (RFC 9421). */
export const verifyMessage = (
  message: HttpMessage,
  findKey: FindKey,
  options: VerifyOptions,
): Verification => {
  const signatures = signaturesOf(message.headers);
  return signatures ? verifySignatures(message, signatures, findKey, options) : absent;
};
