const icon = (shape: string): string =>
  '<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24" viewBox="0 0 24 24" fill="none" ' +
  `stroke="currentColor" stroke-width="2" aria-hidden="true">${shape}</svg>`;

/** Drawings of ways to pay, as `iconHtml`: they take the colour of the text, and load nothing. */
export const methodIcons = {
  card: icon('<rect x="2" y="5" width="20" height="14" rx="2"/><path d="M2 10h20M6 15h4"/>'),
  page: icon('<path d="M14 4h6v6M20 4l-9 9M18 14v5a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V7a1 1 0 0 1 1-1h5"/>'),
  wallet: icon('<path d="M4 7h15a1 1 0 0 1 1 1v11H4a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1h13"/><path d="M16 13h1"/>'),
  byHand: icon('<rect x="2" y="6" width="20" height="12" rx="1"/><circle cx="12" cy="12" r="3"/>'),
  document: icon('<path d="M6 3h9l4 4v14H6zM15 3v4h4M9 12h7M9 16h7"/>'),
};
