import type { NewSession } from '#command/contexts/agent-protocol/sessions/begin-session.ts';
import type {
  CompleteSession,
  FailCompletion,
  StartCompletion,
  StartSession,
  UpdateSession,
} from '#command/contexts/agent-protocol/sessions/agent-session.commands.ts';
import type {
  AgentBuyer,
  AgentDestination,
  AgentInstrument,
  AgentLine,
} from '#events/agent-session.events.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import { newId } from '#kernel/ids.ts';
import { idNamed } from './basket.ts';

/** So many minutes after noon. */
export const minutesLater = (minutes: number): string =>
  new Date(Date.UTC(2026, 0, 5, 12) + minutes * 60_000).toISOString();

const HOURS_6 = 360;

export const agentLine = (product: string, quantity: number, name = product): AgentLine => ({
  lineId: idNamed(`line ${name}`),
  itemId: product,
  productId: idNamed(product),
  quantity,
});

export const ada: AgentBuyer = {
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@example.com',
};

export const placeIn = (countryCode: string, id = `to-${countryCode}`): AgentDestination => ({
  id,
  firstName: 'Ada',
  lastName: 'Lovelace',
  addressOne: '12 High Street',
  townCity: 'London',
  postalCode: 'SW1A 1AA',
  countryCode,
});

export const card: AgentInstrument = {
  id: 'card-1',
  handlerId: 'mock:card',
  type: 'card',
  brand: 'visa',
  lastDigits: '4242',
  isSelected: true,
};

/** At noon, for six hours. */
export const startSession = (given: Partial<StartSession> = {}): StartSession => ({
  type: 'StartSession',
  basketId: idNamed('basket'),
  cartId: null,
  agent: 'https://agent.example/profile',
  agentName: 'Shopping helper',
  isVerified: true,
  dialect: '2026-04-08',
  member: null,
  hasManyGroups: false,
  capabilities: [],
  currency: 'GBP',
  orderWebhookUrl: null,
  sessionWebhookUrl: null,
  lines: [agentLine('mug', 2)],
  changes: {},
  now: minutesLater(0),
  expiresAt: minutesLater(HOURS_6),
  ...given,
});

export const updateSession = (minutes: number, changes: UpdateSession['changes'] = {}): UpdateSession => ({
  type: 'UpdateSession',
  changes,
  now: minutesLater(minutes),
  expiresAt: minutesLater(minutes + HOURS_6),
});

export const startCompletion = (minutes: number, name = 'first', updates = 0): StartCompletion => ({
  type: 'StartCompletion',
  completionId: idNamed(`completion ${name}`),
  updates,
  instrument: card,
  now: minutesLater(minutes),
});

export const failCompletion = (minutes: number, name = 'first'): FailCompletion => ({
  type: 'FailCompletion',
  completionId: idNamed(`completion ${name}`),
  invoiceId: null,
  code: 'out-of-stock',
  message: 'Insufficient stock',
  now: minutesLater(minutes),
  expiresAt: minutesLater(minutes + HOURS_6),
});

export const completeSession = (minutes: number): CompleteSession => ({
  type: 'CompleteSession',
  invoiceId: idNamed('invoice'),
  invoiceNumber: 'INV-1',
  now: minutesLater(minutes),
});

/** As a protocol begins one, in no dialect's words. */
export const newSession = (
  lines: NewSession['lines'],
  more: Partial<Omit<NewSession, 'lines'>> = {},
): NewSession => ({
  dialect: '2026-04-08',
  hasManyGroups: false,
  agentName: null,
  capabilities: [],
  currency: 'GBP',
  orderWebhookUrl: null,
  sessionWebhookUrl: null,
  lines,
  changes: {},
  ...more,
});

/** Of a request that this agent makes. */
export const agentMeta = (profileUri: string, commandId: string = newId()): CommandMeta => ({
  ...{ correlationId: newId(), causationId: newId(), commandId },
  actor: { kind: 'agent', id: profileUri },
});
