/** What a provider of tax said, in minor units. */
export interface TaxResponse {
  readonly lines: readonly {
    readonly lineId: string;
    readonly taxRate: number;
    readonly isTaxable: boolean;
    readonly tax: number;
  }[];
  readonly shippingTax: number;
  readonly isEstimated: boolean;
}
