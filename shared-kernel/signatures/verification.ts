export type SignatureRefusal =
  'digest_mismatch' | 'key_not_found' | 'algorithm_unsupported' | 'signature_invalid';

/** What a signature says of a message. */
export type Verification =
  | { readonly kind: 'absent' }
  | { readonly kind: 'verified'; readonly kid: string }
  | {
      readonly kind: 'refused';
      readonly code: SignatureRefusal;
      /** For the sender's people. */
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
    `The key ${kid.slice(0, 100)} is no EC P-256 key for signatures: sign by ES256.`,
  );

export const signatureInvalid = (why: string): Verification =>
  refused('signature_invalid', `The signature does not hold: ${why}.`);
