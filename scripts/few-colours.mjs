// Writes a PNG with at most 256 colours in place of millions: a picture of a page has few, and its file becomes a third.
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const mostColours = 256;

/** Of 8 bits a channel without gaps between its rows, as browsers write it. */
export function withFewColours(png) {
  const { width, height, pixels } = decoded(png);
  const { places, palette } = paletteOf(pixels);
  // Each row begins with its filter: none.
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) rows[y * (width + 1) + x + 1] = places.get(pixels[y * width + x]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Rows of pixels, each a number of 24 bits. */
function decoded(png) {
  const chunks = chunksOf(png);
  const header = chunks.find(({ type }) => type === 'IHDR').data;
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [depth, kind, , , interlaced] = header.subarray(8);
  if (depth !== 8 || (kind !== 2 && kind !== 6) || interlaced !== 0) throw new Error('a PNG of another form');
  const bytesOfPixel = kind === 2 ? 3 : 4;
  const raw = inflateSync(Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data)));
  const length = width * bytesOfPixel;
  const pixels = new Uint32Array(width * height);
  let above = new Uint8Array(length);
  for (let y = 0; y < height; y += 1) {
    const begin = y * (length + 1);
    const row = unfiltered(raw[begin], raw.subarray(begin + 1, begin + 1 + length), { above, bytesOfPixel });
    for (let x = 0; x < width; x += 1) {
      const at = x * bytesOfPixel;
      pixels[y * width + x] = (row[at] << 16) | (row[at + 1] << 8) | row[at + 2];
    }
    above = row;
  }
  return { width, height, pixels };
}

/** RFC 2083, section 6: each byte was written as what it differs from a guess by. */
function unfiltered(filter, written, { above, bytesOfPixel }) {
  const row = new Uint8Array(written.length);
  for (let at = 0; at < row.length; at += 1) {
    const [left, up] = [row[at - bytesOfPixel] ?? 0, above[at]];
    const guesses = [0, left, up, (left + up) >> 1, paeth(left, up, above[at - bytesOfPixel] ?? 0)];
    row[at] = written[at] + guesses[filter];
  }
  return row;
}

function paeth(left, up, corner) {
  const guess = left + up - corner;
  const [toLeft, toUp, toCorner] = [left, up, corner].map((value) => Math.abs(guess - value));
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

function chunksOf(png) {
  const chunks = [];
  for (let at = signature.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

/** The colours that are seen most; each other one is shown as the nearest of them. */
function paletteOf(pixels) {
  const counts = new Map();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const bySight = [...counts].sort(([, one], [, other]) => other - one).map(([colour]) => colour);
  const palette = bySight.slice(0, mostColours).map(channelsOf);
  return { palette, places: new Map(bySight.map((colour) => [colour, nearest(palette, channelsOf(colour))])) };
}

const channelsOf = (colour) => [colour >> 16, (colour >> 8) & 0xff, colour & 0xff];

function nearest(palette, channels) {
  const distances = palette.map((one) => Math.hypot(...one.map((value, at) => value - channels[at])));
  return distances.indexOf(Math.min(...distances));
}
