import type { ChartedFigure } from '#contracts/figure-series.contract.ts';
import {
  keyFigures,
  type ReportedFigure,
  type ReportedLine,
  type SalesReport,
  type SoldProduct,
} from './sales-report.ts';
import { shownDays } from '#charts/dates.ts';
import { quantity } from '#charts/quantities.ts';

/** What the terminal and the page call things, and how they write figures. */

const figureTitles: Readonly<Record<ChartedFigure, string>> = {
  sales: 'Sales',
  grossSales: 'Gross sales',
  netSales: 'Net sales',
  discounts: 'Discounts',
  returns: 'Returns',
  taxes: 'Taxes',
  orders: 'Orders',
  items: 'Items sold',
  averageOrderValue: 'Average order',
  newCustomers: 'New customers',
  returningCustomers: 'Returning customers',
};

export const figuresNamed = (
  { figures }: Pick<SalesReport, 'figures'>,
  names: readonly ChartedFigure[],
): readonly ReportedFigure[] => names.flatMap((name) => figures.find(({ figure }) => figure === name) ?? []);

export const keyFiguresOf = (report: Pick<SalesReport, 'figures'>): readonly ReportedFigure[] =>
  figuresNamed(report, keyFigures);

export const titleOf = ({ figure }: Pick<ReportedFigure, 'figure'>): string => figureTitles[figure];

const lineTitles: Readonly<Partial<Record<ReportedLine['figure'], string>>> = {
  grossSales: 'Gross sales',
  discounts: 'Discounts',
  returns: 'Returns',
  netSales: 'Net sales',
  shipping: 'Shipping',
  taxes: 'Taxes',
  total: 'Total sales',
  totalCost: 'Cost of goods',
  grossProfit: 'Gross profit',
  grossProfitMargin: 'Margin',
};

export const lineTitleOf = ({ figure }: Pick<ReportedLine, 'figure'>): string => lineTitles[figure] ?? figure;

const currencyOf = (unit: ReportedFigure['unit'], currency: string): string | null =>
  unit === 'amount' ? currency : null;

/** A value of a figure, `$1,234.50` or `1,234`; a dash for none. */
export const shownValue = (
  value: number | null,
  { unit }: Pick<ReportedFigure, 'unit'>,
  currency: string,
): string => (value === null ? '–' : quantity(value, currencyOf(unit, currency)));

export const shownLine = ({ figure, value }: ReportedLine, currency: string): string =>
  figure === 'grossProfitMargin' ? `${value} %` : quantity(value, currency);

/** `+10.2 %`; a dash where nothing is compared. */
export const shownChange = (change: number | null, unit = '%'): string => {
  if (change === null) return '–';
  const size = Math.abs(change).toLocaleString('en');
  return `${change > 0 ? '+' : change < 0 ? '−' : '±'}${size} ${unit}`;
};

export const shownLineChange = ({ figure, change }: ReportedLine): string =>
  shownChange(change, figure === 'grossProfitMargin' ? 'pts' : '%');

export const periodOf = ({ window }: Pick<SalesReport, 'window'>): string =>
  shownDays(window.start, window.end);

export const comparedPeriodOf = ({ comparison }: Pick<SalesReport, 'comparison'>): string | null =>
  comparison && shownDays(comparison.start, comparison.end);

/** `2026-04-01 09:12 UTC` */
export const shownInstant = (instant: string): string =>
  `${instant.slice(0, 10)} ${instant.slice(11, 16)} UTC`;

export interface ProductList {
  readonly title: string;
  readonly products: readonly SoldProduct[];
  readonly shown: (value: number) => string;
}

/** What sold best, by pieces and by what it came to. */
export const productListsOf = ({ bestSellers, currency }: SalesReport): readonly ProductList[] => [
  { title: 'Best sellers by items', products: bestSellers.byItems, shown: (value) => quantity(value, null) },
  {
    title: 'Best sellers by sales',
    products: bestSellers.bySales,
    shown: (value) => quantity(value, currency),
  },
];
