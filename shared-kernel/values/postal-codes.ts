/**
 * Countries for which neither CLDR (common/supplemental/postalCodeData.xml) nor the address data of Google's
 * libaddressinput (no `zip` under data/XX, as of February 2020) has postal codes.
 */
const withoutCodes: ReadonlySet<string> = new Set(
  (
    'AE AG AO AQ AW BF BI BJ BO BQ BS BV BW BZ CD CF CG CI CM CW DJ DM ER FJ GA GD GH GM GQ GY HK JM KI KM KN KP LC ' +
    'LY ML MO MR MS MW NR NU PA PS QA RW SB SC SL SR SS ST SX SY TD TF TG TK TL TO TT TV UG VU WS YE ZW'
  ).split(' '),
);

/** Whether an address there has a postal code. */
export const hasPostalCodes = (countryCode: string): boolean => !withoutCodes.has(countryCode.toUpperCase());
