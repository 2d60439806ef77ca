import type {
  AgentBuyer,
  AgentConsent,
  AgentDestination,
  AgentFulfilment,
  AgentInstrument,
  AgentMandate,
  AgentWebhooks,
  AgentLine,
} from '#events/agent-session.events.ts';

type Said = Readonly<Record<string, unknown>>;

/** What an agent may change; what is missing stays as it is. */
export interface SessionChanges {
  readonly lines?: readonly AgentLine[];
  /** Null: there is none any more. */
  readonly buyer?: AgentBuyer | null;
  readonly consent?: AgentConsent | null;
  readonly codes?: readonly string[];
  readonly destinations?: readonly AgentDestination[];
  readonly fulfilment?: AgentFulfilment | null;
  readonly instruments?: readonly AgentInstrument[];
  readonly currency?: string;
  readonly context?: Said | null;
  readonly attribution?: Said | null;
}

/** Under which the customer of an e-mail address is known, or will be; left out: none is new. */
interface NamesCustomer {
  readonly customerId?: string | null;
}

/** The member whose token the agent sent; null: a guest. */
export interface AskedFor {
  readonly memberId: string;
  /** Who they have proven to be; null: no customer. */
  readonly customerId: string | null;
}

/** ISO instants. */
interface Timed {
  readonly now: string;
  readonly expiresAt: string;
}

export interface StartSession extends Timed, NamesCustomer {
  readonly type: 'StartSession';
  readonly basketId: string;
  readonly cartId: string | null;
  readonly agent: string;
  readonly agentName: string | null;
  readonly isVerified: boolean;
  readonly dialect: string;
  /** Where it is not called as the dialect is. */
  readonly version?: string;
  readonly member: AskedFor | null;
  readonly hasManyGroups: boolean;
  readonly capabilities: readonly string[];
  /** In which amounts are shown. */
  readonly currency: string;
  readonly orderWebhookUrl: string | null;
  readonly sessionWebhookUrl: string | null;
  readonly lines: readonly AgentLine[];
  readonly changes: Omit<SessionChanges, 'lines' | 'currency'>;
}

/** Also with no change at all: the session lasts longer. */
export interface UpdateSession extends Timed, NamesCustomer {
  readonly type: 'UpdateSession';
  /** Left out: it stays as it is. */
  readonly member?: AskedFor | null;
  readonly changes: SessionChanges;
}

/** `completionId` is the business key: a repeat has the same one, another caller another. */
export interface StartCompletion {
  readonly type: 'StartCompletion';
  readonly completionId: string;
  /** How many updates had been made when the agent's request was looked at. */
  readonly updates: number;
  readonly instrument: AgentInstrument;
  /** As the agent's profile says now; left out where it was not read. */
  readonly webhooks?: AgentWebhooks | undefined;
  /** That was checked; left out where none was asked for. */
  readonly mandate?: AgentMandate | undefined;
  readonly now: string;
}

/** The outcome is not known yet. */
export interface AwaitPayment {
  readonly type: 'AwaitPayment';
  readonly completionId: string;
  readonly invoiceId: string;
  readonly from: 'provider' | 'buyer';
  readonly continueUrl: string | null;
  readonly now: string;
}

/** Nothing was charged, and nothing will be. */
export interface FailCompletion extends Timed {
  readonly type: 'FailCompletion';
  readonly completionId: string;
  readonly invoiceId: string | null;
  readonly code: string;
  readonly message: string;
}

/** Its basket is bought, by the agent or by a shopper. */
export interface CompleteSession {
  readonly type: 'CompleteSession';
  readonly invoiceId: string;
  readonly invoiceNumber: string;
  readonly now: string;
}

export interface CancelSession {
  readonly type: 'CancelSession';
  readonly now: string;
}

/** Nothing happens before its time, nor while a payment is under way. */
export interface ExpireSession {
  readonly type: 'ExpireSession';
  readonly now: string;
}

/** The notice of its end is with the dispatcher. */
export interface NoteNoticeQueued {
  readonly type: 'NoteNoticeQueued';
  readonly noticeId: string;
  readonly now: string;
}

export type AgentSessionCommand =
  | StartSession
  | UpdateSession
  | StartCompletion
  | AwaitPayment
  | FailCompletion
  | CompleteSession
  | CancelSession
  | ExpireSession
  | NoteNoticeQueued;
