import { defineEvents, secret, type EventOf } from './define-events.ts';
import { instant, text } from './fields.ts';

/** The keys by which the shop proves to agents what it says (docs/rules/agents.md#signing-keys). One stream. */
export const signingKeyEvents = defineEvents('signing-key', {
  /** A pair on the curve P-256, base64url. It is published at once, and signs from `signsFrom` on. */
  SigningKeyCreated: {
    kid: text,
    x: text,
    y: text,
    privateKey: secret(text),
    signsFrom: instant,
    at: instant,
  },
  /** A successor was made: this key signs until that one does, and is accepted for a while after. */
  SigningKeySuperseded: { kid: text, by: text, signsUntil: instant, acceptedUntil: instant, at: instant },
  /** It is no longer published or accepted. */
  SigningKeyRemoved: { kid: text, at: instant },
});
export type SigningKeyEvent = EventOf<typeof signingKeyEvents>;
