/** One function per category; no other code builds a stream name. Ids are GUIDs. */
const category = (name: string) => (id: string) => `${name}-${id}`;

export const streamOf = {
  basket: category('basket'),
  abandonedCheckout: category('abandonedCheckout'),
  invoice: category('invoice'),
  invoiceNumbers: category('invoiceNumbers'),
  customer: category('customer'),
  savedMethods: category('savedMethods'),
  addressBook: category('addressBook'),
  claim: category('claim'),
  passwordReset: category('passwordReset'),
  stock: category('stock'),
  discount: category('discount'),
  discountUsage: category('discountUsage'),
  upsellRule: category('upsellRule'),
  product: category('product'),
  productType: category('productType'),
  collection: category('collection'),
  taxGroup: category('taxGroup'),
  shippingTaxOverride: category('shippingTaxOverride'),
  warehouse: category('warehouse'),
  shippingOption: category('shippingOption'),
  settings: category('settings'),
  exchangeRates: category('exchangeRates'),
  fulfilmentSync: category('fulfilmentSync'),
  mailPreference: category('mailPreference'),
  webhookSubscription: category('webhookSubscription'),
  webhookHealth: category('webhookHealth'),
  mailConfiguration: category('mailConfiguration'),
  backofficeUser: category('backofficeUser'),
  signingKeys: category('signingKeys'),
  agentSession: category('agentSession'),
  agentCart: category('agentCart'),
  agentClients: category('agentClients'),
  agentLinks: category('agentLinks'),
  agentOrder: category('agentOrder'),
} as const;

/** The category of a stream: what stands before the first hyphen. */
export const categoryOf = (stream: string): string => {
  const hyphen = stream.indexOf('-');
  return hyphen < 0 ? stream : stream.slice(0, hyphen);
};

/** The id of a stream: what stands after the first hyphen. */
export const idOf = (stream: string): string => stream.slice(stream.indexOf('-') + 1);
