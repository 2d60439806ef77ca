import type { CommandDeps } from '#command/engine/service-deps.ts';
import {
  linkResponse,
  staffLinkResponse,
  type DownloadLinkResponse,
  type LinkFigures,
  type StaffDownloadLink,
} from '#contracts/downloads.contract.ts';
import type { KnownLink } from '#events/download-view.ts';
import { readDownloadCounts } from '#runtime/download-counts.ts';
import type { DownloadUrls } from '#values/download-link.ts';
import type { KnownInvoice } from '../invoices/invoice.state.ts';

interface AnswerDeps extends Pick<CommandDeps, 'stateStore' | 'clock'> {
  readonly urlOf: DownloadUrls;
}

/** Links as they are answered, with how often each was used. Errors: `EngineUnavailable`. */
export const createDownloadResponses = ({ stateStore, clock, urlOf }: AnswerDeps) => {
  const figuresOf = async (
    { content: { customerId } }: KnownInvoice,
    links: readonly KnownLink[],
  ): Promise<LinkFigures> => {
    const counts = await readDownloadCounts(
      stateStore,
      links.map(({ linkId }) => linkId),
    );
    return {
      count: (linkId) => counts.get(linkId),
      urlOf: ({ linkId, fileId }) => urlOf({ linkId, customerId: customerId ?? '', fileId }),
      now: clock.now(),
    };
  };
  const shown = async (
    invoice: KnownInvoice,
    isShown: (link: KnownLink) => boolean,
  ): Promise<readonly DownloadLinkResponse[]> => {
    const { downloads } = invoice;
    const links = downloads?.links.filter(isShown) ?? [];
    if (downloads === null || links.length === 0) return [];
    const figures = await figuresOf(invoice, links);
    return links.map((link) => linkResponse(downloads, link, figures));
  };
  return {
    /** What is shown of an invoice at once. */
    shownOn: (invoice: KnownInvoice) => shown(invoice, ({ isInstant }) => isInstant),
    allOf: (invoice: KnownInvoice) => shown(invoice, () => true),
    forStaff: async (invoice: KnownInvoice): Promise<readonly StaffDownloadLink[]> => {
      const { downloads } = invoice;
      if (downloads === null) return [];
      const figures = await figuresOf(invoice, downloads.links);
      return downloads.links.map((link) => staffLinkResponse(downloads, link, figures));
    },
  };
};

export type DownloadResponses = ReturnType<typeof createDownloadResponses>;
