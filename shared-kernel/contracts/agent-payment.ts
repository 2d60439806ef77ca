import { z } from 'zod';
import type { CredentialInput, InstrumentInput, PayingInstrument } from '#agents/protocol-inputs.ts';
import { defined } from '#kernel/defined.ts';
import { agentAddress, MAX_TEXT } from './agent-parts.ts';

const word = z
  .string()
  .max(MAX_TEXT)
  .nullish()
  .transform((text) => text || undefined);

/** Tokens of wallets are whole documents. */
const token = z
  .string()
  .max(20_000)
  .nullish()
  .transform((text) => text || undefined);

const binding = z.looseObject({ checkout_id: word }).nullish();

const credential = z
  .looseObject({ type: word, token, binding })
  .transform((given): CredentialInput => ({
    ...defined({ type: given.type, token: given.token, checkoutId: given.binding?.checkout_id }),
    // Numbers that stand for a card's are a card's all the same.
    isCard: given.type === 'card' || given['number'] !== undefined,
  }))
  .nullish();

const display = z.record(z.string(), z.unknown()).nullish();

/** What the older version says of a card beside its type, the current one puts into `display`. */
export const payingInstrument = z
  .looseObject({
    id: word,
    handler_id: word,
    type: word,
    brand: word,
    last_digits: word,
    selected: z.boolean().nullish(),
    display,
    billing_address: agentAddress.nullish(),
    credential,
  })
  .transform((given): PayingInstrument => {
    const shown = (name: string): string | undefined => {
      const value = given.display?.[name];
      return typeof value === 'string' ? value : undefined;
    };
    return {
      id: given.id ?? '',
      handlerId: given.handler_id ?? '',
      type: given.type ?? given.credential?.type ?? '',
      isSelected: given.selected === true,
      ...defined({
        brand: given.brand ?? shown('brand'),
        lastDigits: given.last_digits ?? shown('last_digits'),
        display: given.display ?? undefined,
        billingAddress: given.billing_address ?? undefined,
        credential: given.credential ?? undefined,
      }),
    };
  });

const instruments = z.array(payingInstrument).max(20).nullish();
const chosen = { instruments, selected_instrument_id: word };

const withoutCredential = ({ credential: _, ...instrument }: PayingInstrument): InstrumentInput => instrument;

/** Before the completion: means of payment are remembered, what pays is not. */
export const offeredInstruments = z
  .looseObject(chosen)
  .transform(({ instruments: all, selected_instrument_id: id }): readonly InstrumentInput[] =>
    (all ?? []).map((instrument) => ({
      ...withoutCredential(instrument),
      isSelected: instrument.isSelected || (id !== undefined && instrument.id === id),
    })),
  );

/** The one that is marked, else the one that is named, else the first. */
const theChosen = (all: readonly PayingInstrument[], id: string | undefined): PayingInstrument | undefined =>
  all.find(({ isSelected }) => isSelected) ?? all.find((one) => id !== undefined && one.id === id) ?? all[0];

export const paymentOfCompletion = z
  .looseObject(chosen)
  .transform(({ instruments: all, selected_instrument_id: id }) => theChosen(all ?? [], id));
