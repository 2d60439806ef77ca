/** Where wallets have merchants validated. */
const WALLET_HOSTS = '.apple.com';

/** Whether a merchant may be validated there: the address comes from a page, which may be anybody's. */
export const isWalletAddress = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, port, username, password } = new URL(text);
  const isPlain = username === '' && password === '' && port === '';
  return protocol === 'https:' && isPlain && hostname.endsWith(WALLET_HOSTS);
};
