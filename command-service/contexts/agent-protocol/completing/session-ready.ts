import { isProtocolErrorCode, type ProtocolError } from '#agents/protocol-error.ts';
import type { ProtocolMessage } from '#agents/protocol-parts.ts';
import type { AgentSession } from '../sessions/agent-session.state.ts';
import { FULFILMENT_MISSING } from './completion-errors.ts';

/** What an agent is shown of a session, as far as it is held against a completion. */
export interface ShownSession {
  readonly isFulfilmentMissing: boolean;
  readonly messages: readonly ProtocolMessage[];
}

const isError = ({ type }: ProtocolMessage): boolean => type === 'error';
const isShort = ({ code }: ProtocolMessage): boolean => code === 'out_of_stock';
/** A completion that is given up asks nothing of the buyer any more. */
const isOfPayment = ({ code }: ProtocolMessage): boolean => code === 'payment_action_required';

/** Goods that are gone are quoted nowhere: then what counts is whether the agent has chosen. */
const lacksFulfilment = (
  { fulfilment }: AgentSession,
  { isFulfilmentMissing, messages }: ShownSession,
): boolean => {
  if (!isFulfilmentMissing) return false;
  const hasChosen = (fulfilment?.destinationId ?? null) !== null && (fulfilment?.options.length ?? 0) > 0;
  return !(hasChosen && messages.some(isShort));
};

const refused = (messages: readonly ProtocolMessage[]): ProtocolError | null => {
  const [first] = messages;
  if (!first) return null;
  const { code, content: text, path, severity } = first;
  return {
    code: isProtocolErrorCode(code) ? code : 'invalid',
    text,
    httpStatus: 400,
    messages,
    ...(path !== undefined && { path }),
    ...(severity && { severity }),
  };
};

/** What stands in the way of a completion, before it is asked how it is paid; null: nothing. */
export const notReady = (session: AgentSession, shown: ShownSession): ProtocolError | null =>
  lacksFulfilment(session, shown)
    ? { code: 'fulfillment_required', text: FULFILMENT_MISSING, path: '$.fulfillment' }
    : refused(shown.messages.filter((one) => isError(one) && !isShort(one) && !isOfPayment(one)));

/** Goods that went since the agent was told of them; null: all are there. */
export const soldOut = ({ messages }: ShownSession): ProtocolError | null => {
  const short = messages.filter((one) => isError(one) && isShort(one));
  const [first] = short;
  if (!first) return null;
  const text = first.content.startsWith('Insufficient stock')
    ? first.content
    : `Insufficient stock: ${first.content}`;
  return {
    code: 'out_of_stock',
    text,
    httpStatus: 409,
    messages: [{ ...first, content: text }, ...short.slice(1)],
  };
};
