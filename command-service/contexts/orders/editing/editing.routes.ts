import { metaOf } from '#command/engine/request-meta.ts';
import {
  applyOneDiscountBody,
  editableInvoice,
  editResponse,
  editPreview,
  invoiceEditBody,
  previewOneDiscountBody,
  type InvoiceEditBody,
} from '#contracts/invoice-edit.contract.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { admin, ok, reader, route, type Route } from '#http/route.ts';
import { editOf, editWithDiscount } from './edit-input.ts';
import { editableResponse, previewResponse } from './edit.response.ts';
import type { Editing, EditOutcome, WantedChange } from './editing.actions.ts';

const common = { base: 'management', service: 'command', file: import.meta.url } as const;

const refusals = [
  'invalid-request',
  'invoice-not-found',
  'invoice-not-editable',
  'invoice-edited-meanwhile',
  'payment-unknown',
  'out-of-stock',
  'discount-not-applicable',
  'amount-too-large',
] as const;

const wantedOf = (body: InvoiceEditBody): WantedChange => ({
  version: body.version ?? null,
  reason: body.editReason,
  read: ({ content }) => editOf(body, content.currency),
});

const edited = (invoiceId: string, { invoice, edited: { warnings }, position }: EditOutcome) =>
  ok(
    {
      isSuccessful: true as const,
      errorMessage: null,
      warnings: [...warnings],
      invoice: editableResponse(invoiceId, invoice),
    },
    { position },
  );

const previewed = ({ invoice, edited: { content, warnings } }: EditOutcome) =>
  ok(previewResponse(invoice, content, warnings));

const change = {
  ...common,
  caller: admin,
  response: editResponse,
  errors: [...refusals, 'usage-limit-reached', 'cancelled', 'conflict'],
  isIdempotent: true,
} as const;

const shownRoutes = (actions: Editing): readonly Route[] => [
  route({
    ...common,
    caller: reader,
    method: 'GET',
    path: '/orders/{id}/edit',
    summary: 'Show an invoice as it is edited, with its version',
    schemas: { params: entityParams },
    response: editableInvoice,
    errors: ['invoice-not-found'],
    handle: async ({ params: { id } }) => ok(editableResponse(id, await actions.load(id))),
  }),
  route({
    ...common,
    caller: reader,
    method: 'POST',
    path: '/orders/{id}/preview-edit',
    summary: 'Show what would come of an edit; nothing is kept',
    schemas: { params: entityParams, body: invoiceEditBody },
    response: editPreview,
    responseOfGet: editableInvoice,
    errors: refusals,
    handle: async ({ params: { id }, body }) => previewed(await actions.preview(id, wantedOf(body))),
  }),
  route({
    ...common,
    caller: reader,
    method: 'POST',
    path: '/orders/preview-discount',
    summary: 'Show what a discount by hand would take off an invoice; nothing is kept',
    schemas: { body: previewOneDiscountBody },
    response: editPreview,
    errors: refusals,
    handle: async ({ body: { invoiceId, ...discount } }) => {
      const body = editWithDiscount({ ...discount, version: null });
      return previewed(await actions.preview(invoiceId, wantedOf(body)));
    },
  }),
];

/** Editing of invoices, by their ids (docs/rules/invoice-editing.md). */
export const editingRoutes = (actions: Editing): readonly Route[] => [
  ...shownRoutes(actions),
  route({
    ...change,
    method: 'PUT',
    path: '/orders/{id}/edit',
    summary: 'Edit an invoice: lines, discounts, shipping, tax; no money moves',
    schemas: { params: entityParams, body: invoiceEditBody },
    responseOfGet: editableInvoice,
    handle: async (request) => {
      const { id } = request.params;
      return edited(id, await actions.edit(id, wantedOf(request.body), metaOf(request)));
    },
  }),
  route({
    ...change,
    method: 'POST',
    path: '/orders/{id}/apply-discount',
    summary: 'Take a discount by hand off an invoice, or off a line of it',
    schemas: { params: entityParams, body: applyOneDiscountBody },
    handle: async (request) => {
      const { id } = request.params;
      const wanted = wantedOf(editWithDiscount(request.body));
      return edited(id, await actions.edit(id, wanted, metaOf(request)));
    },
  }),
];
