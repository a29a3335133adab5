/** How much a test does: little in `npm test`, more in `npm run test:long`. */
const isLong = process.env['TEST_LONG'] === '1';

export const usually = <Amount>(usual: Amount, long: Amount): Amount => (isLong ? long : usual);
