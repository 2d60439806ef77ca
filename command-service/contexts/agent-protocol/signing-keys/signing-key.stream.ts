import type { ShopStream } from '#command/engine/streams.ts';
import type { SigningKeyEvent } from '#events/signing-key.events.ts';
import { derivedId } from '#kernel/ids.ts';
import type { SigningKeyCommand } from './signing-key.commands.ts';
import { signingKeysDecider, type SigningKeysState } from './signing-key.decider.ts';

export const SIGNING_KEYS = derivedId('signingKeys');

export const signingKeysStream: ShopStream<SigningKeysState, SigningKeyCommand, SigningKeyEvent> = {
  decider: signingKeysDecider,
};
