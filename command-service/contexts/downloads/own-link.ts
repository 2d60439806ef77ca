import type { CommandDeps } from '#command/engine/service-deps.ts';
import { endOf, hasEnded, type KnownLink } from '#events/download-view.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { DownloadTokens } from '#runtime/download-tokens.ts';
import { isKnown, type KnownInvoice } from '../invoices/invoice.state.ts';
import { invoiceStream } from '../invoices/invoice.stream.ts';

export interface OwnLinkDeps extends Pick<CommandDeps, 'streams' | 'apis' | 'clock'> {
  readonly tokens: DownloadTokens;
}

const notSignedIn = (): Rejection => new Rejection('unauthenticated', 'Sign in first.');
const invalidToken = (): Rejection => new Rejection('download-not-found', 'Invalid download token');
const expired = (): Rejection => new Rejection('download-expired', 'Download link has expired');

interface FoundLink {
  readonly link: KnownLink;
  readonly invoice: KnownInvoice;
}

/** The link that a token names and is signed for; null for any other token. */
const signedLink = async (
  { streams, apis, tokens }: OwnLinkDeps,
  token: string,
): Promise<FoundLink | null> => {
  const linkId = tokens.linkIdOf(token);
  const invoiceId = linkId === null ? null : await apis.orders.invoiceOf(linkId);
  if (invoiceId === null) return null;
  const { state: invoice } = await streams.load(invoiceStream, invoiceId);
  if (!isKnown(invoice)) return null;
  const link = invoice.downloads?.links.find((one) => one.linkId === linkId);
  const { customerId } = invoice.content;
  return link &&
    customerId !== null &&
    tokens.isSigned(token, { linkId: link.linkId, customerId, fileId: link.fileId })
    ? { link, invoice }
    : null;
};

/**
 * The link of a member (docs/rules/downloads.md#checks), as the log has it now: a refund or a cancellation counts at
 * once, in every process. Errors: `unauthenticated` for a member who has bought nothing and is no customer,
 * `download-not-found`, `download-expired`.
 */
export const ownLink = async (deps: OwnLinkDeps, token: string, memberId: string): Promise<KnownLink> => {
  const [found, customerId] = await Promise.all([
    signedLink(deps, token),
    deps.apis.members.customerOf(memberId),
  ]);
  const { content, downloads } = found?.invoice ?? {};
  const isTheirs =
    content?.memberId === memberId || (customerId !== null && customerId === content?.customerId);
  if (!isTheirs && customerId === null) throw notSignedIn();
  if (!found || !downloads || !isTheirs) throw invalidToken();
  if (hasEnded(endOf(downloads, found.link), deps.clock.now())) throw expired();
  return found.link;
};
