import { signingKeyEvents, type SigningKeyEvent } from '#events/signing-key.events.ts';
import type { Decider } from '#kernel/decider.ts';
import type { SigningKeyCommand } from './signing-key.commands.ts';

interface KnownKey {
  readonly kid: string;
  /** ISO instant. */
  readonly signsFrom: string;
}

export interface SigningKeysState {
  /** Oldest first. */
  readonly keys: readonly KnownKey[];
}

const { SigningKeyCreated } = signingKeyEvents.create;

/** The shop's signing keys, all in one stream: whoever starts first makes the first one, all others find it. */
export const signingKeysDecider: Decider<SigningKeysState, SigningKeyCommand, SigningKeyEvent> = {
  category: 'signingKeys',
  initial: () => ({ keys: [] }),
  decide: ({ keys }, { pair, at }) =>
    keys.length > 0 ? [] : [SigningKeyCreated({ ...pair, signsFrom: at, at })],
  on: {
    SigningKeyCreated: ({ keys }, { data: { kid, signsFrom } }) => ({ keys: [...keys, { kid, signsFrom }] }),
  },
  remembersCommands: true,
};
