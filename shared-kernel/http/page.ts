import { createHash } from 'node:crypto';
import { escapeHtml } from '#values/escape-html.ts';
import type { Reply, SharedText } from './reply.ts';

const style = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 15%, transparent); }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
h2 { margin-top: 2.5rem; }
table { border-collapse: collapse; width: 100%; }
td { border-top: 1px solid var(--line); padding: .4rem .6rem .4rem 0; vertical-align: top; }
code { font: 13px/1.6 ui-monospace, monospace; overflow-wrap: anywhere; }
dt { font-weight: 600; margin-top: 1rem; }
dd { margin: 0; }
.method { width: 4.5rem; font-weight: 600; }
.quiet { opacity: .65; font-size: 13px; }
.narrow { max-width: 26rem; margin: 0 auto; }
label { display: block; margin-top: 1rem; }
input { box-sizing: border-box; width: 100%; font: inherit; padding: .5rem; }
button { font: inherit; padding: .5rem 1rem; margin: 1rem .5rem 0 0; }
.problem { border-left: 4px solid #c33; padding-left: .75rem; }`;

/** A page that needs nothing but itself: no script, nothing from elsewhere. `body` is HTML. */
export const htmlPage = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title>
<style>${style}</style></head>
<body>
${body}
</body>
</html>
`;

/** A page as an answer that may load nothing. */
export const pageReply = (page: string | SharedText): Reply => ({
  status: 200,
  ...(typeof page === 'string' ? { text: page } : { shared: page }),
  headers: {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
  },
});

/** Of all pages, which share one style. */
const styleHash = createHash('sha256').update(style).digest('base64');

/**
 * A page on which something is decided: no other site can frame it, see its address, or receive what is typed. Its
 * forms lead to the shop itself, and from there to `formTargets`.
 */
export const guardedPageReply = (page: string, formTargets: readonly string[] = []): Reply => ({
  status: 200,
  text: page,
  headers: {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': [
      "default-src 'none'",
      `style-src 'sha256-${styleHash}'`,
      `form-action ${["'self'", ...formTargets].join(' ')}`,
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join('; '),
    'X-Frame-Options': 'DENY',
    // With no referrer at all, browsers would not say that a form comes from here.
    'Referrer-Policy': 'same-origin',
  },
});
