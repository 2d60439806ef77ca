import type { DialectContext, Json } from '../dialects.ts';
import type {
  CapabilityName,
  ProtocolAddress,
  ProtocolBuyer,
  ProtocolDiscounts,
  ProtocolItem,
  ProtocolLine,
  ProtocolMessage,
  ProtocolTotal,
} from '../protocol-parts.ts';

/** What the published dialects write differently. The draft is as the current one, but for its status words. */
export interface Wording {
  readonly envelope: (capabilities: readonly CapabilityName[], context: DialectContext) => Json;
  readonly totals: (totals: readonly ProtocolTotal[]) => readonly Json[];
  readonly address: (address: ProtocolAddress) => Json;
  readonly buyer: (buyer: ProtocolBuyer) => Json;
  readonly message: (message: ProtocolMessage) => Json;
}

/** Members without a value are left out of every answer. */
export const present = (members: Json): Json => {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined && value !== null) kept[name] = value;
  }
  return kept;
};

/** Left out where it is empty. */
export const unlessEmpty = <Entry>(entries: readonly Entry[]): readonly Entry[] | undefined =>
  entries.length === 0 ? undefined : entries;

/** A destination with an id and a `name` would be read as a place to collect goods from. */
const ofPlacesToCollect = new Set(['name', 'full_name', 'fullName']);

const echoed = (further: Json | undefined): Json =>
  Object.fromEntries(Object.entries(further ?? {}).filter(([name]) => !ofPlacesToCollect.has(name)));

/** Both names as one. */
const fullName = ({ firstName, lastName }: Pick<ProtocolAddress, 'firstName' | 'lastName'>): Json => {
  const parts = [firstName, lastName].filter((part) => part !== undefined && part !== '');
  return parts.length === 0 ? {} : { full_name: parts.join(' ') };
};

const writeAddress = (address: ProtocolAddress): Json => ({
  ...echoed(address.further),
  ...present({
    first_name: address.firstName,
    last_name: address.lastName,
    street_address: address.addressOne,
    extended_address: address.addressTwo,
    address_locality: address.townCity,
    address_region: address.region,
    postal_code: address.postalCode,
    address_country: address.countryCode,
    phone_number: address.phone,
  }),
});

const writeBuyer = (buyer: ProtocolBuyer): Json => ({
  ...buyer.further,
  ...present({
    first_name: buyer.firstName,
    last_name: buyer.lastName,
    email: buyer.email,
    phone_number: buyer.phone,
    consent:
      buyer.consent &&
      present({
        analytics: buyer.consent.analytics,
        preferences: buyer.consent.preferences,
        marketing: buyer.consent.marketing,
        sale_of_data: buyer.consent.saleOfData,
      }),
  }),
});

const writeTotal = ({ type, amount, displayText }: ProtocolTotal): Json =>
  present({ type, display_text: displayText, amount });

const writeMessage = ({ type, code, content, path, severity }: ProtocolMessage): Json =>
  present({
    type,
    code,
    content,
    path,
    severity: type === 'error' ? (severity ?? 'recoverable') : undefined,
  });

export const currentWording: Wording = {
  envelope: (capabilities, { version }) => ({
    version,
    status: 'success',
    capabilities: Object.fromEntries(capabilities.map((name) => [name, [{ version }]])),
  }),
  totals: (totals) => totals.map(writeTotal),
  address: writeAddress,
  buyer: writeBuyer,
  message: writeMessage,
};

export const olderWording: Wording = {
  envelope: (capabilities, { version }) => ({
    version,
    capabilities: capabilities.map((name) => ({ name, version })),
  }),
  /** The receiver subtracts what its type says is to be subtracted. */
  totals: (totals) => totals.map((total) => writeTotal({ ...total, amount: Math.abs(total.amount) })),
  address: (address) => ({ ...writeAddress(address), ...fullName(address) }),
  buyer: (buyer) => ({ ...writeBuyer(buyer), ...fullName(buyer) }),
  message: (message) =>
    writeMessage(
      message.severity === 'unrecoverable' ? { ...message, severity: 'requires_buyer_input' } : message,
    ),
};

export const writeItem = ({ id, title, price, imageUrl }: ProtocolItem): Json =>
  present({ id, title, price, image_url: imageUrl });

export const writeLine = (line: ProtocolLine, { totals }: Wording): Json =>
  present({
    id: line.id,
    item: writeItem(line.item),
    quantity: line.quantity,
    totals: totals(line.totals),
    options: unlessEmpty(line.options ?? []),
    parent_id: line.parentId,
  });

export const writeDiscounts = ({ codes, applied }: ProtocolDiscounts): Json => ({
  codes,
  applied: applied.map(({ code, title, amount, isAutomatic, method, priority, allocations }) =>
    present({
      code,
      title,
      amount,
      automatic: isAutomatic || undefined,
      method,
      priority,
      allocations: unlessEmpty(allocations),
    }),
  ),
});
