import { placeOrder } from './contexts/checkout/place-order.process.ts';
import { expireInvoice } from './contexts/orders/expire-invoice.process.ts';
import { settlePayment } from './contexts/payments/settle-payment.process.ts';

/** Every process of the shop. */
export const processes = [placeOrder, settlePayment, expireInvoice] as const;
