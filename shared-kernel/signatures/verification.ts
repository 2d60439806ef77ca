export type SignatureRefusal =
  | 'digest_mismatch'
  | 'key_not_found'
  | 'algorithm_unsupported'
  | 'signature_invalid';

/** What the signature of a message proves. */
export type Verification =
  | { readonly kind: 'absent' }
  | { readonly kind: 'verified'; readonly kid: string }
  | {
      readonly kind: 'refused';
      readonly code: SignatureRefusal;
      /** For the sender's developers. */
      readonly text: string;
    };

export const absent: Verification = { kind: 'absent' };

export const refused = (code: SignatureRefusal, text: string): Verification => ({
  kind: 'refused',
  code,
  text,
});

export const keyNotFound = (kids: readonly string[]): Verification =>
  kids.length === 0
    ? refused('key_not_found', 'The signature names no key: send its id.')
    : refused(
        'key_not_found',
        `The profile publishes no key ${kids.map((kid) => kid.slice(0, 100)).join(', ')}.`,
      );

export const keyUnsupported = (kid: string): Verification =>
  refused(
    'algorithm_unsupported',
    `The key ${kid.slice(0, 100)} is not an EC P-256 key for signatures: sign with ES256.`,
  );

export const signatureInvalid = (why: string): Verification =>
  refused('signature_invalid', `The signature does not hold: ${why}.`);
