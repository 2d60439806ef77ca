import { invoiceParams } from '#contracts/checkout.contract.ts';
import {
  downloadLinksResponse,
  downloadsQuery,
  linkResponse,
  staffDownloadLink,
  staffLinkResponse,
  type DownloadLinkResponse,
  type LinkFigures,
} from '#contracts/downloads.contract.ts';
import { listQuery, pageOfAll, pageSchema } from '#contracts/listing.contract.ts';
import { endOf, hasEnded, type KnownLink } from '#events/download-view.ts';
import { member, ok, reader, route, type Route } from '#http/route.ts';
import { notFound } from '#kernel/entity.ts';
import type { Actor } from '#kernel/event.ts';
import type { Document } from '#kernel/projection.ts';
import { Rejection } from '#kernel/rejection.ts';
import { readDownloadCounts } from '#runtime/download-counts.ts';
import { ownerOf as findOwner, type Owner } from '#runtime/members.ts';
import { isFound } from '#values/search.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import { customerListProjection, type CustomerDocument } from '../customers/customer-list.projection.ts';
import { orderListProjection } from '../orders/order-list.projection.ts';
import { downloadsProjection, type DownloadsDocument } from './downloads.projection.ts';

const common = { method: 'GET', service: 'projection', file: import.meta.url } as const;
const ofMembers = { ...common, base: 'downloads', caller: member } as const;
const view = downloadsProjection.name;

/** The customer's newest invoices with files that a list covers. */
const MAX_INVOICES = 1000;

const noCustomer = (): Rejection => new Rejection('customer-not-found', 'Customer not found');

interface Owned {
  readonly document: DownloadsDocument;
  readonly link: KnownLink;
}

const linksOf = (documents: readonly DownloadsDocument[]): Owned[] =>
  documents.flatMap((document) => document.links.map((link) => ({ document, link })));

/** With how often each was used, which the log does not know. */
const figuresFor = async (
  { stateStore, downloadUrlOf, clock }: ProjectionDeps,
  links: readonly Owned[],
): Promise<(owned: Owned) => LinkFigures> => {
  const counts = await readDownloadCounts(
    stateStore,
    links.map(({ link }) => link.linkId),
  );
  const now = clock.now();
  return ({ document: { customerId } }) => ({
    count: (linkId) => counts.get(linkId),
    urlOf: ({ linkId, fileId }) => downloadUrlOf({ linkId, customerId, fileId }),
    now,
  });
};

const answersOf = async (deps: ProjectionDeps, links: readonly Owned[]): Promise<DownloadLinkResponse[]> => {
  const figuresOf = await figuresFor(deps, links);
  return links.map((owned) => linkResponse(owned.document, owned.link, figuresOf(owned)));
};

const ownerOf = async ({ stateStore, reader: views }: ProjectionDeps, { id }: Actor): Promise<Owner> => {
  const customer = (customerId: string) =>
    views.get<CustomerDocument>(customerListProjection.name, customerId);
  const owner = await findOwner(stateStore, customer, id);
  if (!owner) throw noCustomer();
  return owner;
};

/** What a member has bought while signed in, or as the customer who they have proven to be. */
const ownDocuments = async (
  { reader: views }: ProjectionDeps,
  { memberId, customerId }: Owner,
): Promise<DownloadsDocument[]> => {
  const newest = { sort: [['dateCreated', -1]], limit: MAX_INVOICES } as const;
  const found = await Promise.all([
    views.find<DownloadsDocument>(view, { filter: { memberId }, ...newest }),
    customerId === null ? [] : views.find<DownloadsDocument>(view, { filter: { customerId }, ...newest }),
  ]);
  return [...new Map(found.flat().map((document) => [document._id, document])).values()];
};

const newestFirst = ({ link: one }: Owned, { link: other }: Owned): number =>
  Date.parse(other.createdAt) - Date.parse(one.createdAt);

const byFileName = (one: DownloadLinkResponse, other: DownloadLinkResponse): number =>
  one.fileName < other.fileName ? -1 : one.fileName > other.fileName ? 1 : 0;

const ofCustomer = (deps: ProjectionDeps): Route =>
  route({
    ...ofMembers,
    path: '/customer',
    summary: 'List what the member may download, newest first',
    schemas: { query: downloadsQuery },
    response: downloadLinksResponse,
    errors: ['customer-not-found'],
    reads: [customerListProjection, downloadsProjection],
    handle: async ({ actor, query: { includeExpired } }) => {
      const owner = await ownerOf(deps, actor);
      const documents = await ownDocuments(deps, owner);
      if (owner.customerId === null && documents.length === 0) throw noCustomer();
      const now = deps.clock.now();
      const asked = linksOf(documents)
        .filter(({ document, link }) => includeExpired || !hasEnded(endOf(document, link), now))
        .sort(newestFirst);
      const answers = await answersOf(deps, asked);
      return ok(includeExpired ? answers : answers.filter((one) => !one.isDownloadLimitReached));
    },
  });

/** Of an invoice, whose it is. */
interface OwnedInvoice extends Document {
  readonly customerId: string | null;
  readonly content: { readonly memberId?: string } | null;
}

const isOwn = ({ content, customerId }: OwnedInvoice, owner: Owner): boolean =>
  content?.memberId === owner.memberId || (owner.customerId !== null && customerId === owner.customerId);

const ofInvoice = (deps: ProjectionDeps): Route =>
  route({
    ...ofMembers,
    path: '/invoice/{invoiceId}',
    summary: 'List what an invoice of the member holds to download, by file name',
    schemas: { params: invoiceParams },
    response: downloadLinksResponse,
    errors: ['customer-not-found', 'invoice-not-found', 'not-yours'],
    reads: [customerListProjection, orderListProjection, downloadsProjection],
    handle: async ({ actor, params: { invoiceId } }) => {
      const owner = await ownerOf(deps, actor);
      const order = await deps.reader.get<OwnedInvoice>(orderListProjection.name, invoiceId);
      const isTheirs = order !== null && isOwn(order, owner);
      if (!isTheirs && owner.customerId === null) throw noCustomer();
      if (!order) throw new Rejection('invoice-not-found', 'There is no such invoice.');
      if (!isTheirs) throw new Rejection('not-yours', 'This invoice belongs to another customer.');
      const document = await deps.reader.get<DownloadsDocument>(view, invoiceId);
      const answers = await answersOf(deps, linksOf(document ? [document] : []));
      return ok(answers.sort(byFileName));
    },
  });

const ofOrder = (deps: ProjectionDeps): Route =>
  route({
    ...common,
    base: 'management',
    caller: reader,
    path: '/orders/{invoiceId}/downloads',
    summary: 'List what the buyer of an invoice may download, by file name',
    schemas: { params: invoiceParams, query: listQuery },
    response: pageSchema(staffDownloadLink),
    errors: ['entity-not-found'],
    reads: [orderListProjection, downloadsProjection],
    handle: async ({ params: { invoiceId }, query }) => {
      if (!(await deps.reader.get(orderListProjection.name, invoiceId))) throw notFound('order');
      const document = await deps.reader.get<DownloadsDocument>(view, invoiceId);
      const links = linksOf(document ? [document] : []);
      const figuresOf = await figuresFor(deps, links);
      const answers = links
        .map((owned) => staffLinkResponse(owned.document, owned.link, figuresOf(owned)))
        .filter(({ fileName }) => isFound(query.search, [fileName]))
        .sort(byFileName);
      return ok(pageOfAll(answers, query));
    },
  });

/** What may be downloaded (docs/rules/downloads.md#lists). */
export const downloadsRoutes = (deps: ProjectionDeps): readonly Route[] => [
  ofCustomer(deps),
  ofInvoice(deps),
  ofOrder(deps),
];
