import { createHash } from 'node:crypto';
import { z } from 'zod';
import { entities } from '#entities/entities.ts';
import { abandonedCheckoutEvents, type AbandonedCheckoutEvent } from './abandoned-checkout.events.ts';
import { addressBookEvents, type AddressBookEvent } from './address-book.events.ts';
import { addressLookupEvents, type AddressLookupEvent } from './address-lookup.events.ts';
import { agentCartEvents, type AgentCartEvent } from './agent-cart.events.ts';
import { agentClientEvents, type AgentClientEvent } from './agent-client.events.ts';
import { agentLinkEvents, type AgentLinkEvent } from './agent-link.events.ts';
import { agentOrderEvents, type AgentOrderEvent } from './agent-order.events.ts';
import { agentSessionEvents, type AgentSessionEvent } from './agent-session.events.ts';
import { backofficeUserEvents, type BackofficeUserEvent } from './backoffice-user.events.ts';
import { basketEvents, type BasketEvent } from './basket.events.ts';
import { productEvents, type ProductEvent } from './catalogue.events.ts';
import { checkoutEvents, type CheckoutEvent } from './checkout.events.ts';
import {
  claimEvents,
  creationEvents,
  customerEvents,
  type ClaimEvent,
  type CreationEvent,
  type CustomerEvent,
} from './customer.events.ts';
import type { EventDefinition, EventOf } from './define-events.ts';
import { discountUsageEvents, type DiscountUsageEvent } from './discount-usage.events.ts';
import { exchangeRateEvents, type ExchangeRateEvent } from './exchange-rate.events.ts';
import { fulfilmentEvents, type FulfilmentEvent } from './fulfilment.events.ts';
import { inventoryEvents, type InventoryEvent } from './inventory.events.ts';
import { invoiceEditEvents, type InvoiceEditEvent } from './invoice-edit.events.ts';
import {
  invoiceEvents,
  invoiceNumberEvents,
  type InvoiceEvent,
  type InvoiceNumberEvent,
} from './invoice.events.ts';
import { mailPreferenceEvents, type MailPreferenceEvent } from './mail-preference.events.ts';
import { mailEvents, type MailEvent } from './mail.events.ts';
import { memberEvents, type MemberEvent } from './member.events.ts';
import { paymentMethodEvents, type PaymentMethodEvent } from './payment-method.events.ts';
import { settingsEvents, type SettingsEvent } from './settings.events.ts';
import { signingKeyEvents, type SigningKeyEvent } from './signing-key.events.ts';
import { paymentProviderEvents, type PaymentProviderEvent } from './payment-provider.events.ts';
import { unmatchedPaymentEvents, type UnmatchedPaymentEvent } from './unmatched-payment.events.ts';
import { taxProviderEvents, type TaxProviderEvent } from './tax.events.ts';
import { webhookHealthEvents, type WebhookHealthEvent } from './webhook-health.events.ts';
import { webhookEvents, type WebhookEvent } from './webhook.events.ts';

type EntityEvent = EventOf<(typeof entities)[number]['events']>;

/** Every event that Tillroll writes. */
export type ShopEvent =
  | BasketEvent
  | CheckoutEvent
  | AbandonedCheckoutEvent
  | InvoiceEvent
  | InvoiceNumberEvent
  | InvoiceEditEvent
  | InventoryEvent
  | CustomerEvent
  | ClaimEvent
  | CreationEvent
  | MailPreferenceEvent
  | MailEvent
  | MemberEvent
  | AddressBookEvent
  | PaymentMethodEvent
  | DiscountUsageEvent
  | ProductEvent
  | EntityEvent
  | SettingsEvent
  | TaxProviderEvent
  | AddressLookupEvent
  | PaymentProviderEvent
  | UnmatchedPaymentEvent
  | FulfilmentEvent
  | ExchangeRateEvent
  | WebhookEvent
  | WebhookHealthEvent
  | BackofficeUserEvent
  | SigningKeyEvent
  | AgentSessionEvent
  | AgentCartEvent
  | AgentClientEvent
  | AgentLinkEvent
  | AgentOrderEvent;

const definitions: readonly EventDefinition[] = [
  basketEvents,
  checkoutEvents,
  abandonedCheckoutEvents,
  invoiceEvents,
  invoiceNumberEvents,
  invoiceEditEvents,
  inventoryEvents,
  customerEvents,
  claimEvents,
  creationEvents,
  mailPreferenceEvents,
  mailEvents,
  memberEvents,
  addressBookEvents,
  paymentMethodEvents,
  discountUsageEvents,
  productEvents,
  ...entities.map(({ events }) => events),
  settingsEvents,
  taxProviderEvents,
  addressLookupEvents,
  paymentProviderEvents,
  unmatchedPaymentEvents,
  fulfilmentEvents,
  exchangeRateEvents,
  webhookEvents,
  webhookHealthEvents,
  backofficeUserEvents,
  signingKeyEvents,
  agentSessionEvents,
  agentCartEvents,
  agentClientEvents,
  agentLinkEvents,
  agentOrderEvents,
].flatMap((declared) => declared.definitions);

const byType = new Map<string, EventDefinition>();
for (const definition of definitions) {
  if (byType.has(definition.type)) throw new Error(`the event type ${definition.type} is declared twice`);
  byType.set(definition.type, definition);
}

/** The definition of an event type; undefined for one that a newer release has written. */
export const eventDefinition = (type: string): EventDefinition | undefined => byType.get(type);

const repeatedFields = Map.groupBy(
  definitions.flatMap(({ repeats }) => repeats),
  ({ of }) => of,
);

/** The fields of an event type that later events of a stream may leave to it. */
export const repeatedFieldsOf = (type: string): readonly string[] =>
  repeatedFields.get(type)?.map(({ field }) => field) ?? [];

/** Texts of the schemas that were asked for: several parts of the state fold the same events. */
const shapes = new Map<string, string>();

const shapeOf = (type: string): string => {
  const known = shapes.get(type);
  if (known !== undefined) return known;
  const definition = byType.get(type);
  const schema = definition && z.toJSONSchema(definition.schema, { unrepresentable: 'any' });
  const shape = JSON.stringify([type, definition?.schemaVersion, schema]);
  shapes.set(type, shape);
  return shape;
};

/**
 * Changes whenever the schema of one of the types does: what was folded from events of another shape is not to be
 * trusted.
 */
export const schemaFingerprint = (types: readonly string[]): string => {
  const hash = createHash('sha256');
  for (const type of [...types].sort()) hash.update(shapeOf(type));
  return hash.digest('hex').slice(0, 12);
};

export const eventDefinitions = (): readonly EventDefinition[] => definitions;
