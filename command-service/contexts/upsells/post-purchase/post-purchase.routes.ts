import { metaOf } from '#command/engine/request-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { invoiceParams } from '#contracts/checkout.contract.ts';
import {
  addAfterwardsBody,
  addedAfterwardsResponse,
  additionPreviewResponse,
  postPurchaseResponse,
  previewAdditionBody,
} from '#contracts/post-purchase.contract.ts';
import { confirmation, noContent, ok, route, type Route } from '#http/route.ts';
import type { PostPurchaseActions } from './post-purchase.actions.ts';
import { addedResponse, offerResponse, previewResponse } from './post-purchase.response.ts';

const path = '/post-purchase/{invoiceId}';
const common = {
  base: 'checkout',
  service: 'command',
  caller: confirmation,
  file: import.meta.url,
} as const;

export interface PostPurchaseRouteDeps extends Pick<CommandDeps, 'reference' | 'settings'> {
  readonly actions: PostPurchaseActions;
}

const addRoute = ({ actions }: PostPurchaseRouteDeps): Route =>
  route({
    ...common,
    method: 'POST',
    path: `${path}/add`,
    summary: 'Add to an order what is offered, and charge the saved method',
    schemas: { params: invoiceParams, body: addAfterwardsBody },
    response: addedAfterwardsResponse,
    errors: [
      'invalid-request',
      'offer-ended',
      'offer-taken',
      'add-failed',
      'out-of-stock',
      'product-not-purchasable',
      'items-unavailable',
      'amount-too-large',
      'payment-method-expired',
      'invoice-not-editable',
      'invoice-not-found',
      'invoice-edited-meanwhile',
      'payment-unknown',
      'cancelled',
      'conflict',
    ],
    handle: async (request) => {
      const { invoiceId } = request.params;
      const added = await actions.add(invoiceId, request.body, metaOf(request));
      return ok(addedResponse(invoiceId, added), { position: added.position });
    },
  });

/** Offers after a purchase (docs/rules/post-purchase.md). */
export const postPurchaseRoutes = (deps: PostPurchaseRouteDeps): readonly Route[] => {
  const { actions } = deps;
  return [
    route({
      ...common,
      method: 'GET',
      path,
      summary: 'What is offered to the buyer of an order, and until when',
      schemas: { params: invoiceParams },
      response: postPurchaseResponse,
      errors: ['not-found', 'invoice-not-found'],
      handle: async ({ params: { invoiceId } }) =>
        ok(offerResponse(deps, invoiceId, await actions.show(invoiceId))),
    }),
    route({
      ...common,
      method: 'POST',
      path: `${path}/preview`,
      summary: 'What an order would cost more; nothing is changed',
      schemas: { params: invoiceParams, body: previewAdditionBody },
      response: additionPreviewResponse,
      errors: ['invalid-request', 'offer-ended', 'amount-too-large', 'invoice-not-found'],
      handle: async ({ params: { invoiceId }, body }) => {
        const { invoice, planned } = await actions.preview(invoiceId, body);
        return ok(previewResponse(deps, body.productId, invoice, planned));
      },
    }),
    addRoute(deps),
    route({
      ...common,
      method: 'POST',
      path: `${path}/skip`,
      summary: 'Let an order go without more',
      schemas: { params: invoiceParams },
      handle: async (request) => {
        const position = await actions.skip(request.params.invoiceId, metaOf(request));
        return noContent({ position });
      },
    }),
  ];
};
