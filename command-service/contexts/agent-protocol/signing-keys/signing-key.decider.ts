import { signingKeyEvents, type SigningKeyEvent } from '#events/signing-key.events.ts';
import { decideBy, type Decider, type Rules } from '#kernel/decider.ts';
import type { RotateSigningKey, SigningKeyCommand } from './signing-key.commands.ts';

/** All times are ISO instants. */
interface KnownKey {
  readonly kid: string;
  readonly createdAt: string;
  readonly signsFrom: string;
  /** Null until a successor is made. */
  readonly signsUntil: string | null;
  readonly acceptedUntil: string | null;
}

export interface SigningKeysState {
  /** Those that are accepted, oldest first: at any instant one of them signs. */
  readonly keys: readonly KnownKey[];
}

const { SigningKeyCreated, SigningKeySuperseded, SigningKeyRemoved } = signingKeyEvents.create;

/** A key that has not signed yet is kept: by another process's clock it may have. */
const supersede = (
  keys: readonly KnownKey[],
  { pair: { kid: by }, signsFrom: signsUntil, formerAcceptedUntil: acceptedUntil, at }: RotateSigningKey,
): readonly SigningKeyEvent[] =>
  acceptedUntil === null
    ? keys.map(({ kid }) => SigningKeyRemoved({ kid, at }))
    : keys
        .filter((key) => key.signsUntil === null || key.signsUntil > signsUntil)
        .map(({ kid }) => SigningKeySuperseded({ kid, by, signsUntil, acceptedUntil, at }));

/** Whether another rotation has done the same already; an order to stop trusting a key is never lost. */
const isDone = (keys: readonly KnownKey[], command: RotateSigningKey): boolean => {
  const { replacing, signsFrom, formerAcceptedUntil, at } = command;
  const newest = keys.at(-1);
  if (!newest) return false;
  const isUnderWay = keys.length > 1 && newest.signsFrom > at;
  if (newest.kid === replacing && !isUnderWay) return false;
  const signsSoonEnough = signsFrom > at || newest.signsFrom === newest.createdAt;
  return signsSoonEnough && (formerAcceptedUntil !== null || keys.length === 1);
};

const rules: Rules<SigningKeysState, SigningKeyCommand, SigningKeyEvent, void> = {
  CreateFirstSigningKey: ({ keys }, { pair, at }) =>
    keys.length > 0 ? [] : [SigningKeyCreated({ ...pair, signsFrom: at, at })],
  RotateSigningKey: ({ keys }, command) => {
    const { pair, signsFrom, at } = command;
    if (keys.length === 0 || isDone(keys, command)) return [];
    return [SigningKeyCreated({ ...pair, signsFrom, at }), ...supersede(keys, command)];
  },
  RemoveRetiredSigningKeys: ({ keys }, { at }) =>
    keys
      .filter(({ acceptedUntil }) => acceptedUntil !== null && acceptedUntil <= at)
      .map(({ kid }) => SigningKeyRemoved({ kid, at })),
};

/** The shop's signing keys, all in one stream: the process that starts first makes the first one, others find it. */
export const signingKeysDecider: Decider<SigningKeysState, SigningKeyCommand, SigningKeyEvent> = {
  category: 'signingKeys',
  initial: () => ({ keys: [] }),
  decide: decideBy(rules),
  on: {
    SigningKeyCreated: ({ keys }, { data: { kid, signsFrom, at: createdAt } }) => ({
      keys: [...keys, { kid, createdAt, signsFrom, signsUntil: null, acceptedUntil: null }],
    }),
    SigningKeySuperseded: ({ keys }, { data: { kid, signsUntil, acceptedUntil } }) => ({
      keys: keys.map((key) => (key.kid === kid ? { ...key, signsUntil, acceptedUntil } : key)),
    }),
    SigningKeyRemoved: ({ keys }, { data }) => ({ keys: keys.filter(({ kid }) => kid !== data.kid) }),
  },
  remembersCommands: true,
};
