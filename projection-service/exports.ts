import { customerExport } from './contexts/customers/customer-export.ts';
import { orderExport } from './contexts/orders/order-export.ts';
import type { Export } from './engine/exports/export.ts';

/** What can be exported. */
export const exportsOfViews: readonly Export[] = [customerExport, orderExport];
