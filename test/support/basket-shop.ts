import { createBasketActions } from '#command/contexts/basket/basket.actions.ts';
import { basketRoutes } from '#command/contexts/basket/basket.routes.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { createStreams, type Sources } from '#command/engine/streams.ts';
import { productEvents } from '#events/catalogue.events.ts';
import { taxGroup as taxGroupKind } from '#entities/tax-group.entity.ts';
import { warehouse as warehouseKind, type Warehouse } from '#entities/warehouse.entity.ts';
import { inventoryEvents } from '#events/inventory.events.ts';
import { parseRequest } from '#http/parse-request.ts';
import type { Reply, Route, RouteRequest } from '#http/route.ts';
import type { Recorded } from '#kernel/event.ts';
import { newId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { createReference } from '#reference/create-reference.ts';
import { applyEvent } from '#reference/reference-part.ts';
import { defaultStoreSettings, type StoreSettings } from '#values/store-settings.ts';
import { streamOf } from '#values/stream-name.ts';
import { idNamed } from './builders/basket.ts';
import { productOnSale } from './builders/product.ts';
import { startTestEngine } from './engine.ts';
import { inStream, recordedEvents, type GivenEvent } from './given.ts';

/** A product of the test shop: price in pence, 20 % tax, and its stock, if it is counted. */
export interface Goods {
  readonly price: number;
  readonly stock?: number;
}

const at = '2030-01-01T00:00:00.000Z';
const vat = { name: 'VAT', taxPercentage: 20, rates: [] };

const east: Warehouse = {
  name: 'East',
  code: null,
  address: {
    name: 'East',
    company: null,
    addressOne: '1 Quay',
    addressTwo: null,
    townCity: 'Hull',
    countyState: null,
    regionCode: null,
    postalCode: 'HU1 1AA',
    countryCode: 'GB',
    country: 'United Kingdom',
    email: null,
    phone: null,
  },
  supplierId: null,
  serviceRegions: [],
};

const eventsOf = (sku: string, { price, stock }: Goods): readonly GivenEvent[] => {
  const product = productOnSale(sku, { price, taxGroupId: idNamed('vat'), isTracked: stock !== undefined });
  const created = inStream(
    streamOf.product(idNamed(`root ${sku}`)),
    productEvents.create.ProductCreated({ ...product, at }),
  );
  if (stock === undefined) return created;
  const row = { productId: idNamed(sku), warehouseId: idNamed('east'), sku };
  const opened = { ...row, stock, trackStock: true, reorderPoint: null, reorderQuantity: null };
  return [
    ...created,
    ...inStream(streamOf.stock(idNamed(`stock ${sku}`)), inventoryEvents.create.StockRowOpened(opened)),
  ];
};

const follow = (reference: ReturnType<typeof createReference>, events: readonly Recorded[]): void => {
  for (const event of events) {
    for (const part of reference.parts) applyEvent(part, event);
  }
};

/** What a shopper gets: an answer, or the code of a refusal. */
export interface Answer {
  readonly code: string | null;
  readonly message: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const bodyOf = ({ text, json }: Reply): Answer['body'] =>
  (text === undefined ? json : JSON.parse(text)) as Answer['body'];

/** The basket's routes on a real command engine with memory stores. */
export const openBasketShop = async (
  goods: Readonly<Record<string, Goods>>,
  changes: Partial<StoreSettings> = {},
) => {
  const reference = createReference();
  const taxGroup = inStream(
    streamOf.taxGroup(idNamed('vat')),
    taxGroupKind.events.create.TaxGroupCreated({ taxGroup: vat, at }),
  );
  const warehouse = inStream(
    streamOf.warehouse(idNamed('east')),
    warehouseKind.events.create.WarehouseCreated({ warehouse: east, at }),
  );
  const products = Object.entries(goods).flatMap(([sku, one]) => eventsOf(sku, one));
  follow(reference, recordedEvents([...taxGroup, ...warehouse, ...products]));
  const { engine, store, stateStore, clock } = await startTestEngine();
  const settings = {
    ...defaultStoreSettings,
    storeCurrencyCode: 'GBP',
    defaultShippingCountry: 'GB',
    ...changes,
  };
  const sources: Sources = {
    reference,
    clock,
    settings: () => settings,
    keyedHash: (kind, value) => `${kind} ${value}`,
    countOpenInvoices: () => 0,
  };
  const streams = createStreams(engine, sources);
  const deps: CommandDeps = { ...sources, commands: engine, streams, stateStore, store };
  const routes = basketRoutes(createBasketActions(deps), deps.settings);
  return { store, shopper: (basketId: string | null = null) => shopperIn(routes, basketId) };
};

/** A visitor: goes on with the basket that the shop gave them. */
const shopperIn = (routes: readonly Route[], known: string | null) => {
  let basketId = known;
  const call = async (method: string, path: string, input: Partial<RouteRequest>): Promise<Answer> => {
    const found = routes.find((candidate) => candidate.method === method && candidate.path === path);
    if (found === undefined) throw new Error(`no route ${method} ${path}`);
    try {
      const { query, body } = parseRequest(found.surface, found.schemas, {
        query: undefined,
        body: input.body,
      });
      const actor = { kind: 'visitor', id: null } as const;
      const facts = {
        cookies: {},
        basketId,
        actor,
        correlationId: newId(),
        ip: '::1',
        header: () => undefined,
        baseUrl: 'http://localhost',
      };
      const reply = await found.handle({ ...facts, params: {}, ...input, query, body });
      if (reply.basketId !== undefined) basketId = reply.basketId;
      const answer = bodyOf(reply);
      return { code: null, message: String(answer.message), body: answer };
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      return { code: error.code, message: error.message, body: error.details };
    }
  };
  return {
    basketId: () => basketId,
    add: (sku: string, quantity?: unknown, more: Partial<RouteRequest> = {}) =>
      call('POST', '/basket/add', {
        ...more,
        body: { productId: idNamed(sku), ...(quantity === undefined ? {} : { quantity }) },
      }),
    post: (path: string, body: unknown) => call('POST', path, { body }),
    remove: (lineItemId: string) => call('DELETE', '/basket/{lineItemId}', { params: { lineItemId } }),
  };
};
