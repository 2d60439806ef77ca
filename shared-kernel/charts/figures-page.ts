import { escapeHtml } from '#values/escape-html.ts';
import { pageStyle } from './page-style.ts';

/** A page of figures that needs no network: no script, nothing from elsewhere. `content` is HTML. */
export const figuresPage = (title: string, content: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title>
<meta name="color-scheme" content="light dark">
<style>${pageStyle}</style></head>
<body>
${content}
</body>
</html>
`;
