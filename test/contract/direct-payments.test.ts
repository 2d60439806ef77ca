import { manualProvider } from '#adapters/payment-providers/manual-provider.ts';
import { purchaseOrderProvider } from '#adapters/payment-providers/purchase-order-provider.ts';
import { describeDeclaration } from './payment-provider.contract.ts';

describeDeclaration('manual', () => Promise.resolve(manualProvider()));
describeDeclaration('manual, as a promise', () => Promise.resolve(manualProvider(60)));
describeDeclaration('purchaseorder', () => Promise.resolve(purchaseOrderProvider));
