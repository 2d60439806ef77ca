/** What HTML may hold that people write for shoppers: everything else is taken out, or never offered. */
export const htmlRules = {
  tags: [
    ...['address', 'article', 'aside', 'footer', 'header', 'hgroup', 'main', 'nav', 'section'],
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'div', 'hr', 'pre', 'blockquote', 'figure', 'figcaption'],
    ...['ul', 'ol', 'li', 'menu', 'dl', 'dt', 'dd'],
    ...['a', 'abbr', 'b', 'bdi', 'bdo', 'br', 'cite', 'code', 'data', 'dfn', 'em', 'i', 'kbd', 'mark', 'q'],
    ...['rb', 'rp', 'rt', 'rtc', 'ruby', 's', 'samp', 'small', 'span', 'strong', 'sub', 'sup', 'time', 'u'],
    ...['var', 'wbr', 'img'],
    ...['caption', 'col', 'colgroup', 'table', 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr'],
  ],
  /** By tag; `*` stands for each. */
  attributes: {
    a: ['href', 'name', 'id'],
    img: ['src', 'alt', 'width', 'height'],
    '*': ['lang'],
  },
  linkSchemes: ['https', 'http', 'mailto', 'tel'],
  imageSchemes: ['https'],
};
