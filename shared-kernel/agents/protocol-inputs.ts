import type { ChosenOption, ProtocolAddress, ProtocolBuyer } from './protocol-parts.ts';

/** What an agent asks for, in no dialect's words. A member that is missing was not said; null takes back. */

export interface LineInput {
  /** As an answer gave it; what no answer gave is no line's. */
  readonly id?: string;
  /** Id or SKU. */
  readonly itemId: string;
  readonly quantity: number;
  readonly options: readonly ChosenOption[];
  readonly parentId?: string;
}

/** Where the buyer seems to be. */
export interface ContextInput {
  readonly countryCode?: string;
  readonly region?: string;
  readonly postalCode?: string;
  readonly language?: string;
  readonly currency?: string;
  /** Claims, as they were written. */
  readonly eligibility: readonly string[];
  /** What can be shown to the agent again. */
  readonly said: Readonly<Record<string, unknown>>;
}

export interface DestinationInput extends ProtocolAddress {
  readonly id?: string;
}

export interface GroupInput {
  readonly id?: string;
  readonly selectedOptionId: string | null;
}

/** All methods of a request as one. */
export interface FulfilmentInput {
  readonly methodId?: string;
  readonly destinations?: readonly DestinationInput[];
  readonly selectedDestinationId?: string | null;
  /** Those in which something is chosen or taken back. */
  readonly groups: readonly GroupInput[];
}

export interface CredentialInput {
  readonly type?: string;
  readonly token?: string;
  /** The card itself, rather than something that stands for it. */
  readonly isCard: boolean;
  /** The session that it is good for. */
  readonly checkoutId?: string;
}

export interface InstrumentInput {
  readonly id: string;
  readonly handlerId: string;
  readonly type: string;
  readonly brand?: string;
  readonly lastDigits?: string;
  readonly isSelected: boolean;
  readonly display?: Readonly<Record<string, unknown>>;
  readonly billingAddress?: ProtocolAddress;
}

/** The one that is to pay. */
export interface PayingInstrument extends InstrumentInput {
  readonly credential?: CredentialInput;
}

/** What creates a session or cart, or changes one. */
export interface SessionInput {
  readonly lines?: readonly LineInput[];
  readonly cartId?: string;
  readonly buyer?: ProtocolBuyer | null;
  readonly context?: ContextInput | null;
  readonly attribution?: Readonly<Record<string, string>> | null;
  /** In upper case; whether it is one is not known here. */
  readonly currency?: string;
  /** Without their credentials. */
  readonly instruments?: readonly InstrumentInput[];
  /** Every code as it was written; none takes all back. */
  readonly codes?: readonly string[];
  readonly fulfilment?: FulfilmentInput | null;
}

export interface CompletionInput {
  readonly instrument?: PayingInstrument;
  /** The buyer's mandate, unchecked. */
  readonly mandate?: string;
}
