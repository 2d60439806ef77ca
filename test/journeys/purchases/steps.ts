import { giveAddresses, manage, pay, payInvoice, post } from '#test/support/requests.ts';
import type { ApiResponse, Request } from '#test/support/browser.ts';
import type { PurchaseStep } from './walk.ts';

export type Body = ApiResponse['body'];

export const plain = (text: string): string => text.replaceAll('\u00a0', ' ');
export const nothing = (): string => '';
export const linesOf = ({ lineItems }: Body): string =>
  plain(
    lineItems
      .map((line: Body) => `${line.name} ${line.formattedDisplayLineTotal} (${line.formattedLineTotal})`)
      .join(', '),
  );
export const basketOf = ({ basket }: Body): string =>
  plain(
    [
      basket.formattedDisplaySubTotal,
      `tax ${basket.formattedDisplayTax}`,
      `shipping ${basket.formattedDisplayShipping}`,
      `total ${basket.formattedDisplayTotal} (${basket.formattedTotal})`,
    ].join(', '),
  );
export const shippingOf = (body: Body): string => {
  const groups = body.shippingGroups.map(({ lineItems, shippingOptions: [option] }: Body) =>
    plain(`${lineItems[0].quantity} by ${option.name} ${option.formattedCost}`),
  );
  return `${groups.join(', ')}; ${basketOf(body)}`;
};
export const invoiceOf = (body: Body): string =>
  [
    ...body.orders.map((order: Body) => `${order.shippingServiceName} ${order.shippingCost}`),
    `subtotal ${body.subTotal}`,
    `tax ${body.tax}`,
    `shipping ${body.shippingCost}`,
    `total ${body.total} ${body.currencyCode} (${body.totalInStoreCurrency} ${body.storeCurrencyCode})`,
    `paid ${body.payments.map(({ amount }: Body) => amount).join(' + ')}`,
    `due ${body.balanceDue}`,
  ].join(', ');

export const shopper = (
  ask: PurchaseStep['ask'],
  money = '',
  read: PurchaseStep['read'] = nothing,
  status = 200,
): PurchaseStep => ({ by: 'shopper', ask, status, read, money });
export const staff = (
  request: PurchaseStep['ask'],
  money: string,
  read: PurchaseStep['read'],
): PurchaseStep => ({
  by: 'staff',
  ask: request,
  status: 200,
  read,
  money,
});

/** Moves the shop's clock, or runs one of its jobs. */
export const tester = (
  path: string,
  body: object = {},
  money = '',
  read: PurchaseStep['read'] = nothing,
): PurchaseStep => ({ by: 'tester', ask: () => post(path, body), status: 200, read, money });

export const livingIn = (countryCode: string): (() => Request) => {
  const billingAddress = { name: 'Ada', addressOne: '12 High Street', townCity: 'Port', postalCode: '1010' };
  return () => giveAddresses({ billingAddress: { ...billingAddress, countryCode } });
};
export const currencyOf = ({ currencyCode }: Body): string => currencyCode;

/** Asks for the invoice, pays it, and has staff look at it. */
export const buy = (invoice: string, between: readonly PurchaseStep[] = []): readonly PurchaseStep[] => [
  shopper(() => pay()),
  ...between,
  shopper(({ invoiceId }) => payInvoice(invoiceId)),
  staff(({ invoiceId }) => manage.get(`/orders/${invoiceId}`), invoice, invoiceOf),
];
