/** What the dispatcher has counted of a subscription, and how it is called. */
export interface ObserveWebhook {
  readonly type: 'ObserveWebhook';
  readonly subscription: { readonly name: string; readonly topic: string; readonly targetUrl: string };
  readonly counted: {
    readonly failuresInARow: number;
    /** Of all time. */
    readonly givenUpCount: number;
    readonly lastSuccessUtc: string | null;
    readonly lastFailureUtc: string | null;
    readonly lastErrorMessage: string | null;
  };
}
