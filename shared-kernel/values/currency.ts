/** ISO 4217. Codes may be given in any case; they are stored in upper case, and that is the fast path. */

/** Currencies in use. Fund units, metals and test codes are left out: no shop is paid in them. */
const codes = new Set(
  (
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF ' +
    'CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL ' +
    'HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD ' +
    'MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG ' +
    'QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD ' +
    'TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG'
  ).split(' '),
);

/** Decimals that are not 2 (docs/rules/pricing.md#currencies). */
const unusualDecimals = new Map<string, number>();
for (const code of 'BIF CLP DJF GNF ISK JPY KMF KRW MGA PYG RWF UGX VND VUV XAF XOF XPF'.split(' ')) {
  unusualDecimals.set(code, 0);
}
for (const code of 'BHD IQD JOD KWD LYD OMR TND'.split(' ')) unusualDecimals.set(code, 3);

/**
 * Three decimals, of which card networks take two: amounts that are shown and paid end with a 0
 * (docs/rules/pricing.md#steps).
 */
const inTens = new Set('BHD JOD KWD OMR TND'.split(' '));

/** Only signs that name one currency: a shop shows several side by side, so `$` and `¥` have one owner each. */
const signs: Readonly<Record<string, string>> = {
  AUD: 'A$',
  AZN: '₼',
  BDT: '৳',
  BRL: 'R$',
  CAD: 'CA$',
  CNY: 'CN¥',
  CRC: '₡',
  CZK: 'Kč',
  EUR: '€',
  GBP: '£',
  GEL: '₾',
  GHS: 'GH₵',
  HKD: 'HK$',
  HUF: 'Ft',
  IDR: 'Rp',
  ILS: '₪',
  INR: '₹',
  JPY: '¥',
  KHR: '៛',
  KRW: '₩',
  KZT: '₸',
  LAK: '₭',
  MNT: '₮',
  MXN: 'MX$',
  MYR: 'RM',
  NGN: '₦',
  NZD: 'NZ$',
  PHP: '₱',
  PLN: 'zł',
  PYG: '₲',
  RUB: '₽',
  SGD: 'S$',
  THB: '฿',
  TRY: '₺',
  TWD: 'NT$',
  UAH: '₴',
  USD: '$',
  VND: '₫',
  ZAR: 'R',
};

const noBreakSpace = '\u00a0';

/** Everything that formatting an amount asks, by the code as it is stored. */
const symbols = new Map([...codes].map((code) => [code, signs[code] ?? `${code}${noBreakSpace}`]));

/** Which currency a shopper from a country most likely wants to see (docs/rules/currency.md#countries). */
const currencyByCountry = new Map(
  (
    'US:USD CA:CAD MX:MXN ' +
    'AT:EUR BE:EUR CY:EUR DE:EUR EE:EUR ES:EUR FI:EUR FR:EUR GR:EUR HR:EUR IE:EUR IT:EUR LT:EUR LU:EUR LV:EUR ' +
    'MT:EUR NL:EUR PT:EUR SI:EUR SK:EUR ' +
    'GB:GBP CH:CHF SE:SEK NO:NOK DK:DKK PL:PLN CZ:CZK HU:HUF RO:RON BG:EUR ' +
    'JP:JPY CN:CNY AU:AUD NZ:NZD KR:KRW IN:INR SG:SGD HK:HKD TW:TWD TH:THB MY:MYR ID:IDR PH:PHP VN:VND ' +
    'AE:AED SA:SAR IL:ILS QA:QAR KW:KWD BH:BHD OM:OMR ' +
    'BR:BRL AR:ARS CL:CLP CO:COP PE:PEN ZA:ZAR NG:NGN EG:EGP KE:KES MA:MAD'
  )
    .split(' ')
    .map((pair): [string, string] => [pair.slice(0, 2), pair.slice(3)]),
);

/** The codes of all currencies in use. */
export const currencyCodes: readonly string[] = [...codes];

/** True for the code of a currency that is in use. */
export const isCurrency = (code: string): boolean => codes.has(code) || codes.has(code.toUpperCase());

/** How many decimals amounts in a currency have; 2 for what is not known. */
export const decimalsOf = (code: string): number =>
  unusualDecimals.get(code) ?? (symbols.has(code) ? 2 : (unusualDecimals.get(code.toUpperCase()) ?? 2));

/** Of how many minor units every amount in a currency is a multiple, where it is shown or paid. */
export const stepOf = (code: string): number => (inTens.has(code) ? 10 : 1);

/** What stands before an amount: the currency's own sign, else the code and a no-break space (`CHF 12.50`). */
export const symbolOf = (code: string): string => {
  const known = symbols.get(code);
  if (known !== undefined) return known;
  const upper = code.toUpperCase();
  return symbols.get(upper) ?? `${upper}${noBreakSpace}`;
};

/** The currency that goes with a country; null where none is named: the store's own currency applies. */
export const currencyOfCountry = (countryCode: string): string | null =>
  currencyByCountry.get(countryCode) ?? currencyByCountry.get(countryCode.toUpperCase()) ?? null;
