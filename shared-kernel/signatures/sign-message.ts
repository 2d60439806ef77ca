import { serializeInnerList, serializeByteSequence, type InnerList, type Item } from 'structured-headers';
import { contentDigest } from './content-digest.ts';
import { fieldValue, type HttpMessage } from './http-message.ts';
import { baseBytes, signatureBase } from './signature-base.ts';
import type { Signer } from '#agents/own-keys.ts';

export interface SigningOptions {
  /** Milliseconds. */
  readonly at: number;
  readonly label?: string;
}

/** The fields to add to the message. */
export interface SignatureFields {
  readonly 'Signature-Input': string;
  readonly Signature: string;
  /** Present where it is covered and the message lacked it. */
  readonly 'Content-Digest'?: string;
}

/**
 * Signs the named components of a message (RFC 9421); computes the digest of its body where that is missing. Throws
 * ComponentProblem for a component that the message does not have.
 */
export const signMessage = (
  message: HttpMessage,
  components: readonly string[],
  { kid, sign }: Signer,
  { at, label = 'sig1' }: SigningOptions,
): SignatureFields => {
  const { headers, body } = message;
  const isDigestMissing =
    components.includes('content-digest') && fieldValue(headers, 'content-digest') === undefined;
  const digest = isDigestMissing ? contentDigest(body) : undefined;
  const signed =
    digest === undefined ? message : { ...message, headers: { ...headers, 'content-digest': digest } };
  const items = components.map((name): Item => [name, new Map()]);
  const covered: InnerList = [
    items,
    new Map<string, number | string>([
      ['created', Math.floor(at / 1000)],
      ['keyid', kid],
    ]),
  ];
  const signature = sign(baseBytes(signatureBase(signed, covered)));
  return {
    ...(digest !== undefined && { 'Content-Digest': digest }),
    'Signature-Input': `${label}=${serializeInnerList(covered)}`,
    Signature: `${label}=${serializeByteSequence(signature)}`,
  };
};
