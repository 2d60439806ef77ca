import { customerEvents, type CustomerDetails } from '#events/customer.events.ts';

/** Ada, of whom nothing is known but her name and address. */
export const ada: CustomerDetails = {
  email: 'ada@example.com',
  firstName: 'Ada',
  lastName: 'Lovelace',
  memberKey: null,
  addresses: null,
  acceptsMarketing: false,
  isFlagged: false,
  hasAccountTerms: false,
  paymentTermsDays: null,
  creditLimit: null,
  tags: [],
};

export const registered = (changes: Partial<CustomerDetails> = {}, at: string | null = null) =>
  customerEvents.create.CustomerRegistered({ ...ada, ...changes, at });

type RecordedSale = Parameters<typeof customerEvents.create.CustomerSaleRecorded>[0];
type Beside = Pick<RecordedSale, 'isFirstOfDay' | 'previousSaleDay' | 'nextSaleDay'>;

/** A sale of the storefront; unless it says more, the customer's only one. */
export const saleRecorded = (
  sale: Pick<RecordedSale, 'invoiceId' | 'businessDay'> & Partial<RecordedSale>,
) => {
  const beside: Beside = {
    isFirstOfDay: sale.isFirstOfDay ?? true,
    previousSaleDay: sale.previousSaleDay ?? null,
    nextSaleDay: sale.nextSaleDay ?? null,
  };
  return customerEvents.create.CustomerSaleRecorded({
    ...{ total: null, placedAt: null, countryCode: null, sourceType: 'web', firstSaleDays: {} },
    ...beside,
    ofSource: beside,
    ...sale,
  });
};
