/** Rows of CSV as RFC 4180 has them, and harmless to the spreadsheet that opens them. */

/** A cell that a spreadsheet would run as a formula gets an apostrophe before it, and so does one that begins as if it had. Numbers are written as they are. */
export const csvRow = (cells: readonly (string | number)[]): string => `${cells.map(cell).join(',')}\r\n`;

function cell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const harmless = /^'*[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
