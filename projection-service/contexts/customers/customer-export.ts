import { customerExportItem, type CustomerExportItem } from '#contracts/export.contract.ts';
import { averageOrderValue } from '#values/customer-figures.ts';
import { toDecimal } from '#values/money.ts';
import { documentsAfter } from '../../engine/exports/documents-after.ts';
import type { Export } from '../../engine/exports/export.ts';
import { nameOf, type CustomerDocument } from './customer-list.projection.ts';

export interface CustomerExportAsked {
  /** The store's. */
  readonly currency: string;
}

/** A customer as a row (docs/rules/exports.md#customers). */
export const exportedCustomer = (
  customer: CustomerDocument,
  { currency }: CustomerExportAsked,
): CustomerExportItem => {
  const { _id, fields, countryCode, dateCreated, orderCount, totalSpend, firstOrderAt, lastOrderAt } =
    customer;
  const phones = (fields.addresses ?? []).flatMap(({ phone }) => (phone === null ? [] : [phone]));
  const average = averageOrderValue(customer);
  return {
    customerId: _id,
    name: nameOf(customer),
    email: fields.email,
    phone: phones[0] ?? null,
    countryCode,
    tags: [...fields.tags],
    acceptsMarketing: fields.acceptsMarketing,
    dateCreated,
    orderCount,
    totalSpend: toDecimal(totalSpend, currency),
    averageOrderValue: average === null ? null : toDecimal(average, currency),
    currencyCode: currency,
    firstOrderDate: firstOrderAt,
    lastOrderDate: lastOrderAt,
  };
};

/** Customers, those first who have been known longest. */
export const customerExport: Export<CustomerExportAsked> = {
  view: 'customers',
  columns: Object.keys(customerExportItem.shape),
  read: async (sources, { collection, asked, after }) => {
    const { documents, next } = await documentsAfter<CustomerDocument>(sources, {
      collection,
      filter: {},
      sortedBy: 'dateCreated',
      after,
    });
    return { rows: documents.map((customer) => exportedCustomer(customer, asked)), next };
  },
};
