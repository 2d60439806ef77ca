import type { EditInvoice } from '#command/contexts/invoices/invoice.commands.ts';
import { applyEdit } from '#command/pricing/edits/apply-edit.ts';
import {
  noEdit,
  type EditedInvoice,
  type EditFacts,
  type FoundProduct,
  type InvoiceEdit,
  type OpenedShipping,
  type WantedEdit,
} from '#command/pricing/edits/invoice-edit.ts';
import type { InvoiceContent } from '#events/invoice.fields.ts';
import type { SellableVariant } from '#reference/reference.ts';
import { idNamed } from './basket.ts';

export const nowhere: OpenedShipping = { shippingOptionId: null, optionKey: null, name: null, cost: 0 };

/** Something that is taxed at 20 %, sent from the east, and found under its name. */
export const foundProduct = (
  name: string,
  price: number,
  changes: Partial<FoundProduct> = {},
): FoundProduct => ({
  sellable: {
    rootId: idNamed(`root ${name}`),
    root: {
      rootName: name,
      taxGroupId: idNamed('standard'),
      isDigitalProduct: false,
      options: [],
      collectionIds: [],
    },
    variant: {
      id: idNamed(name),
      sku: name,
      name,
      price,
      costOfGoods: 100,
      stockRows: [],
      selectedOptions: [],
    },
  } as unknown as SellableVariant,
  addons: [],
  taxRate: 20,
  warehouseId: idNamed('east'),
  optionKey: null,
  shipping: nowhere,
  ...changes,
});

/** A shop in which everything is there, at 20 % tax, and shipping is not taxed. */
export const editFacts = (changes: Partial<EditFacts> = {}): EditFacts => ({
  products: [],
  items: [],
  codes: new Map(),
  rules: new Map(),
  now: Date.parse('2026-03-02T09:00:00.000Z'),
  buyer: { customerId: idNamed('ada'), segmentIds: [] },
  destination: { countryCode: 'GB', regionCode: null, postalCode: null },
  tax: { rate: () => 20, shippingOverride: () => undefined, group: () => undefined },
  shippingTax: { mode: 'NotTaxed' },
  available: () => 1_000_000,
  keysOf: (productId) => [productId],
  ...changes,
});

/** Whatever warehouse has it, by the option that is given. */
export const addedProduct = (
  name: string,
  quantity: number,
  changes: Partial<InvoiceEdit['productsToAdd'][number]> = {},
): InvoiceEdit['productsToAdd'][number] => ({
  productId: idNamed(name),
  quantity,
  warehouseId: null,
  shippingOptionId: null,
  selectionKey: null,
  addons: [],
  ...changes,
});

interface EditWith extends Partial<Omit<WantedEdit, 'edit'>> {
  readonly facts?: EditFacts;
}

/** What comes of an edit of an invoice, the first one unless it says otherwise. */
export const edited = (
  content: InvoiceContent,
  edit: Partial<InvoiceEdit>,
  { facts = editFacts(), ...with_ }: EditWith = {},
): EditedInvoice =>
  applyEdit(
    content,
    {
      editId: idNamed('edit'),
      version: 1,
      shipped: new Map(),
      closedOrderIds: [],
      ...with_,
      edit: { ...noEdit, ...edit },
    },
    facts,
  );

/** The same as the invoice's stream is asked for it. */
export const editCommand = (
  content: InvoiceContent,
  edit: Partial<InvoiceEdit>,
  options: EditWith = {},
): EditInvoice => {
  const { editId = idNamed('edit'), version = 1 } = options;
  const { difference, stock, changedOrderIds, emptiedOrderIds, ...after } = edited(content, edit, options);
  return {
    type: 'EditInvoice',
    ...{ editId, content: after.content, difference, stock, changedOrderIds, emptiedOrderIds },
    after: version - 1,
    reason: null,
    by: 'mary',
  };
};
