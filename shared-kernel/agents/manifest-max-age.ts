const LEAST_SECONDS = 60;

/** How long others may keep a manifest (docs/rules/agents.md#manifest). */
export const manifestMaxAgeSeconds = (settings: { readonly manifestCacheDurationMinutes: number }): number =>
  Math.max(LEAST_SECONDS, settings.manifestCacheDurationMinutes * 60);
