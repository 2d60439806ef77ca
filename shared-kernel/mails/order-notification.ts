import type { OrderAddon, OrderLine } from '#events/invoice.fields.ts';
import type { Address } from '#values/address.ts';
import { formatMoney, toDecimal, type Minor } from '#values/money.ts';
import { dayInWords, goodsInWords } from './in-words.ts';
import type { MailedInvoice } from './mailed-invoice.ts';

interface MailedAddon {
  readonly name: string;
  readonly formattedLineTotal: string;
}

export interface MailedLine {
  readonly name: string;
  readonly sku: string;
  /** `Size: large, Colour: blue`; null: nothing was chosen. */
  readonly options: string | null;
  readonly quantity: number;
  readonly unitPrice: number;
  readonly formattedUnitPrice: string;
  readonly lineTotal: number;
  readonly formattedLineTotal: string;
  readonly addons: readonly MailedAddon[];
}

export interface MailedUpsell {
  readonly heading: string;
  readonly products: readonly {
    readonly name: string;
    readonly formattedPrice: string;
    /** Null where the shop's website is not known. */
    readonly url: string | null;
  }[];
}

export interface MailedAddress extends Omit<Address, 'email'> {
  /** As it stands on a label. */
  readonly lines: readonly string[];
}

/** What every mail about an order or an invoice may say. Personal fields are null once the customer is forgotten. */
export interface OrderNotification {
  readonly invoiceId: string;
  readonly invoiceNumber: string;
  readonly orderIds: readonly string[];
  readonly customerEmail: string | null;
  readonly customerName: string | null;
  readonly dateCreated: string;
  readonly orderDate: string;
  readonly source: string;
  readonly currencyCode: string;
  readonly lines: readonly MailedLine[];
  readonly itemCount: number;
  readonly shippingMethods: readonly string[];
  readonly subTotal: number;
  readonly discount: number;
  readonly shipping: number;
  readonly tax: number;
  readonly total: number;
  readonly formattedSubTotal: string;
  /** Null where there is none, as with what is paid and what is due. */
  readonly formattedDiscount: string | null;
  readonly formattedShipping: string | null;
  readonly formattedTax: string | null;
  readonly formattedTotal: string;
  readonly amountPaid: number;
  readonly balanceDue: number;
  readonly formattedAmountPaid: string | null;
  readonly formattedBalanceDue: string | null;
  readonly paymentStatus: string;
  readonly purchaseOrderNumber: string | null;
  readonly dueDate: string | null;
  readonly billingAddress: MailedAddress | null;
  /** Null where nothing is shipped. */
  readonly shippingAddress: MailedAddress | null;
}

/** An address as mails write it. */
export const mailedAddress = (address: Address | null): MailedAddress | null => {
  if (address === null) return null;
  const { email: _, ...parts } = address;
  const { name, company, addressOne, addressTwo, townCity, countyState, postalCode, country } = address;
  const town = [townCity, countyState, postalCode].filter((part) => part).join(' ');
  const lines = [name, company, addressOne, addressTwo, town, country];
  return { ...parts, lines: lines.filter((line): line is string => Boolean(line)) };
};

/** What was chosen: `Size: large, Colour: blue`; null: nothing. */
export const writtenOptions = (selectedOptions: OrderLine['selectedOptions']): string | null =>
  selectedOptions.length === 0
    ? null
    : selectedOptions.map(({ optionName, valueName }) => `${optionName}: ${valueName}`).join(', ');

const addonOf = ({ name, lineTotal }: OrderAddon, currency: string): MailedAddon => ({
  name,
  formattedLineTotal: formatMoney(lineTotal, currency),
});

/** A line of an order, of which a parcel may hold only some units. */
export const mailedLine = (line: OrderLine, currency: string, quantity = line.quantity): MailedLine => {
  const lineTotal = quantity === line.quantity ? line.lineTotal : line.unitPrice * quantity;
  return {
    name: goodsInWords(line),
    sku: line.sku,
    options: writtenOptions(line.selectedOptions),
    quantity,
    unitPrice: toDecimal(line.unitPrice, currency),
    formattedUnitPrice: formatMoney(line.unitPrice, currency),
    lineTotal: toDecimal(lineTotal, currency),
    formattedLineTotal: formatMoney(lineTotal, currency),
    addons: (line.addons ?? []).map((addon) => addonOf(addon, currency)),
  };
};

/** Everything that mails say of an invoice. */
export const orderNotification = (invoice: MailedInvoice, timeZone: string): OrderNotification => {
  const { content, balance, dueDate } = invoice;
  const { currency, amounts, orders } = content;
  const formatted = (amount: Minor): string => formatMoney(amount, currency);
  const ifAny = (amount: Minor): string | null => (amount === 0 ? null : formatted(amount));
  const lines = orders.flatMap((order) => order.lines);
  const methods = orders.flatMap(({ shippingServiceName }) => shippingServiceName ?? []);
  return {
    invoiceId: invoice.id,
    invoiceNumber: invoice.invoiceNumber,
    orderIds: orders.map(({ orderId }) => orderId),
    customerEmail: invoice.email,
    customerName: invoice.customerName,
    dateCreated: content.createdAt,
    orderDate: dayInWords(content.createdAt, timeZone),
    source: content.source.type,
    currencyCode: currency,
    lines: lines.map((line) => mailedLine(line, currency)),
    itemCount: content.itemCount,
    shippingMethods: [...new Set(methods)],
    subTotal: toDecimal(amounts.subTotal, currency),
    discount: toDecimal(amounts.discount, currency),
    shipping: toDecimal(amounts.shipping, currency),
    tax: toDecimal(amounts.tax, currency),
    total: toDecimal(amounts.total, currency),
    formattedSubTotal: formatted(amounts.subTotal),
    formattedDiscount: ifAny(-amounts.discount),
    formattedShipping: ifAny(amounts.shipping),
    formattedTax: ifAny(amounts.tax),
    formattedTotal: formatted(amounts.total),
    amountPaid: toDecimal(balance.amountPaid, currency),
    balanceDue: toDecimal(balance.balanceDue, currency),
    formattedAmountPaid: ifAny(balance.amountPaid),
    formattedBalanceDue: ifAny(balance.balanceDue),
    paymentStatus: balance.paymentStatus,
    purchaseOrderNumber: invoice.purchaseOrderNumber,
    dueDate: dueDate === null ? null : dayInWords(dueDate, timeZone),
    billingAddress: mailedAddress(invoice.billingAddress),
    shippingAddress: lines.every(({ isDigital }) => isDigital)
      ? null
      : mailedAddress(invoice.shippingAddress),
  };
};
