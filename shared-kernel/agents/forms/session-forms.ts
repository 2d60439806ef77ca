import type { DialectContext, Forms, Json } from '../dialects.ts';
import type {
  FulfilmentGroup,
  FulfilmentMethod,
  FulfilmentOption,
  PaymentInstrument,
  ProtocolSession,
} from '../protocol-session.ts';
import { handlerList, handlersByName } from './handler-forms.ts';
import { currentWording, olderWording, present, writeDiscounts, writeLine, type Wording } from './parts.ts';

const writeOption = (option: FulfilmentOption, { totals }: Wording): Json =>
  present({
    id: option.id,
    title: option.title,
    description: option.description,
    carrier: option.carrier,
    earliest_fulfillment_time: option.earliestTime,
    latest_fulfillment_time: option.latestTime,
    totals: totals(option.totals),
  });

const writeGroup = (group: FulfilmentGroup, wording: Wording): Json =>
  present({
    id: group.id,
    line_item_ids: group.lineIds,
    options: group.options.map((option) => writeOption(option, wording)),
    selected_option_id: group.selectedOptionId,
  });

const writeMethod = (method: FulfilmentMethod, wording: Wording): Json =>
  present({
    id: method.id,
    type: method.type,
    line_item_ids: method.lineIds,
    destinations: method.destinations?.map(({ id, ...address }) => ({ ...wording.address(address), id })),
    selected_destination_id: method.selectedDestinationId,
    groups: method.groups?.map((group) => writeGroup(group, wording)),
  });

/** What both dated dialects write alike. */
const sharedMembers = (session: ProtocolSession, context: DialectContext, wording: Wording): Json => ({
  ...present({
    id: session.id,
    status: session.status,
    session_status: session.lifecycle,
    currency: session.currency,
    line_items: session.lines.map((line) => writeLine(line, wording)),
    buyer: session.buyer && wording.buyer(session.buyer),
    totals: wording.totals(session.totals),
    messages: session.messages.map(wording.message),
    links: session.links,
    created_at: session.createdAt,
    updated_at: session.updatedAt,
    expires_at: session.expiresAt,
    continue_url: session.continueUrl,
    discounts: session.discounts && writeDiscounts(session.discounts),
    ap2: session.merchantAuthorization && { merchant_authorization: session.merchantAuthorization },
    fulfillment: session.fulfilment && {
      methods: session.fulfilment.methods.map((method) => writeMethod(method, wording)),
    },
  }),
  ucp: wording.envelope(session.capabilities, context),
});

const writeInstrument = (instrument: PaymentInstrument): Json => {
  const display = present({
    ...instrument.display,
    brand: instrument.brand,
    last_digits: instrument.lastDigits,
  });
  return present({
    id: instrument.id,
    handler_id: instrument.handlerId,
    type: instrument.type,
    display: Object.keys(display).length === 0 ? undefined : display,
    selected: instrument.isSelected || undefined,
  });
};

const current = (session: ProtocolSession, context: DialectContext): Json => {
  const { payment, order } = session;
  const shared = sharedMembers(session, context, currentWording);
  return {
    ...shared,
    ucp: { ...(shared['ucp'] as Json), payment_handlers: handlersByName(payment.handlers, context) },
    payment: { instruments: payment.instruments.map(writeInstrument) },
    ...(order && {
      order: present({ id: order.id, label: order.label, permalink_url: order.permalinkUrl }),
    }),
  };
};

/** The older version has no form for anything but cards of which brand and last digits are known. */
const writeCards = (instruments: readonly PaymentInstrument[]): Json => {
  const cards = instruments.filter(
    ({ type, brand, lastDigits }) => type === 'card' && brand !== undefined && lastDigits !== undefined,
  );
  return present({
    instruments: cards.map(({ id, handlerId, type, brand, lastDigits }) => ({
      id,
      handler_id: handlerId,
      type,
      brand,
      last_digits: lastDigits,
    })),
    selected_instrument_id: cards.find(({ isSelected }) => isSelected)?.id,
  });
};

const older = (session: ProtocolSession, context: DialectContext): Json => {
  const { payment, order } = session;
  return {
    ...sharedMembers(session, context, olderWording),
    payment: { handlers: handlerList(payment.handlers, context), ...writeCards(payment.instruments) },
    ...(order && { order: { id: order.id, permalink_url: order.permalinkUrl } }),
  };
};

/** Checkout sessions (docs/rules/agent-dialects.md#sessions). */
export const sessionForms: Forms<ProtocolSession> = {
  '2026-04-08': current,
  '2026-01-11': older,
  draft: (session, context) => ({
    ...current(session, context),
    status: session.lifecycle,
    checkout_status: session.status,
  }),
};
