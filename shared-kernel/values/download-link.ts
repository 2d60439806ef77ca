/** What a download link stands for, and its token is signed over (docs/rules/downloads.md#tokens). */
export interface SignedLink {
  readonly linkId: string;
  readonly customerId: string;
  readonly fileId: string;
}

/** Where a link leads. */
export type DownloadUrls = (link: SignedLink) => string;
