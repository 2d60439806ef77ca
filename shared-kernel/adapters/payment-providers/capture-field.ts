import { providerField } from '#values/provider-field.ts';

/** When money is taken: at once, or by staff (docs/rules/authorizations.md). */
export const captureField = providerField('capture', 'Capture', 'select', {
  options: ['automatic', 'manual'],
  defaultValue: 'automatic',
});

export const isCapturedLater = (settings: Readonly<Record<string, unknown>>): boolean =>
  settings['capture'] === 'manual';
