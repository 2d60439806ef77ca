import type { CapabilitySettings } from '#agents/capabilities.ts';
import type { ContextInput, InstrumentInput, SessionInput } from '#agents/protocol-inputs.ts';
import type { AgentInstrument } from '#events/agent-session.events.ts';
import { defined } from '#kernel/defined.ts';
import type { SessionChanges } from './agent-session.commands.ts';

type Extensions = CapabilitySettings['extensions'];

/** Every claim is kept: each is answered. */
const contextOf = ({ said, eligibility }: ContextInput): Readonly<Record<string, unknown>> => ({
  ...said,
  ...(eligibility.length > 0 && { eligibility }),
});

/** Never with what pays. */
export const instrumentOf = ({
  id,
  handlerId,
  type,
  brand,
  lastDigits,
  isSelected,
}: InstrumentInput): AgentInstrument => ({
  ...{ id, handlerId, type, isSelected },
  ...defined({ brand, lastDigits }),
});

/** The buyer is one member, consent included: who leaves it out keeps both, and who sends it replaces both. */
const buyerOf = (
  { buyer }: Pick<SessionInput, 'buyer'>,
  { buyerConsent }: Pick<Extensions, 'buyerConsent'>,
): Pick<SessionChanges, 'buyer' | 'consent'> => {
  if (buyer === undefined) return {};
  if (buyer === null) return { buyer: null, consent: null };
  const { consent, ...person } = buyer;
  return { buyer: person, consent: (buyerConsent && consent) || null };
};

/** What a request says of a session, beside its lines, its currency and its shipping. */
export const changesOf = (
  input: SessionInput,
  extensions: Extensions,
): Omit<SessionChanges, 'lines' | 'currency' | 'destinations' | 'fulfilment'> => {
  const { codes, instruments, context, attribution } = input;
  return {
    ...buyerOf(input, extensions),
    ...defined({
      codes: extensions.discount ? codes : undefined,
      instruments: instruments?.map(instrumentOf),
      context: context && contextOf(context),
      attribution,
    }),
  };
};

/** What a request says of sending; nothing where the shop does not offer that to agents. */
export const sendingOf = (
  { fulfilment }: Pick<SessionInput, 'fulfilment'>,
  { fulfillment: isOffered }: Pick<Extensions, 'fulfillment'>,
): SessionInput['fulfilment'] => (isOffered ? fulfilment : undefined);
