// Makes a precompiled header smaller for the download. clang stores it as an LLVM bitstream, whose fields are not aligned to
// bytes (https://llvm.org/docs/BitCodeFormat.html), so brotli finds few repetitions. split() unpacks the fields and puts the same
// field of all records into one column of bytes. join() restores the file.

const longest = 40;  // later fields of a record share one column
const end = 0, enter = 1, define = 2, unabbreviated = 3;  // abbreviation IDs
const blockInfo = 0, setBlock = 1;                        // a block ID, and a record's code in that block
const fixed = 1, vbr = 2, array = 3, char6 = 4, blob = 5;  // encodings of an abbreviation's operands

/** A field of variable width: chunks, whose highest bit says that another one follows. */
function variable(io, width, column) {
  const more = 2 ** (width - 1);
  for (let value = 0, scale = 1;; scale *= more) {
    const chunk = io.field(width, column);
    value += (chunk % more) * scale;
    if (chunk < more) return value;
  }
}

/** Visits all fields of a bitstream in order. `io` moves each field between the bitstream and its column, and returns its value. */
function walk(io) {
  const structure = io.column(), groups = new Map(), known = new Map();  // known: block ID → abbreviations defined in advance

  const group = (block, kind) => {
    const key = block * 2 ** 24 + kind;
    if (!groups.has(key)) groups.set(key, []);
    return groups.get(key);
  };
  const column = (columns, i) => columns[Math.min(i, longest)] ??= io.column();

  function abbreviation() {
    return Array.from({ length: variable(io, 5, structure) }, () => {
      if (io.field(1, structure)) {
        variable(io, 8, structure);
        return { encoding: fixed, width: 0 };  // a literal takes no bits in the records
      }
      const encoding = io.field(3, structure);
      return { encoding, width: encoding <= vbr ? variable(io, 5, structure) : encoding === char6 ? 6 : 8 };
    });
  }

  function operand({ encoding, width }, column) {
    if (width > 0) encoding === vbr ? variable(io, width, column) : io.field(width, column);
  }

  function abbreviated(operands, columns) {
    for (let i = 0; i < operands.length; ++i) {
      const { encoding } = operands[i];
      if (encoding !== array && encoding !== blob) {
        operand(operands[i], column(columns, i));
        continue;
      }
      const count = variable(io, 6, column(columns, i));
      if (encoding === blob) io.align();
      const element = encoding === blob ? operands[i] : operands[++i];
      for (let j = 0; j < count; ++j) operand(element, column(columns, i + 1 + (encoding === array ? j : 0)));
      if (encoding === blob) io.align();
    }
  }

  function block(id, width) {
    const abbreviations = [...known.get(id) ?? []], ids = column(group(id, 0), 0), codes = column(group(id, 0), 1);
    let described;  // the block whose abbreviations the block BLOCKINFO defines now
    while (!io.ended) {
      const abbreviationId = io.field(width, ids);
      if (abbreviationId === end) return io.align();
      if (abbreviationId === enter) {
        const inner = variable(io, 8, structure), innerWidth = variable(io, 4, structure);
        io.align();
        io.field(32, structure);
        block(inner, innerWidth);
      } else if (abbreviationId === define) {
        if (id === blockInfo) known.set(described, [...known.get(described) ?? [], abbreviation()]);
        else abbreviations.push(abbreviation());
      } else if (abbreviationId === unabbreviated) {
        const code = variable(io, 6, codes), columns = group(id, 2 * code + 1), count = variable(io, 6, column(columns, 0));
        for (let i = 1; i <= count; ++i) {
          const value = variable(io, 6, column(columns, i));
          if (id === blockInfo && code === setBlock) described = value;
        }
      } else {
        abbreviated(abbreviations[abbreviationId - 4], group(id, 2 * abbreviationId));
      }
    }
  }

  io.field(32, structure);  // the magic number
  block(2 ** 20, 2);        // the file, as a block with an ID that no other block has
}

class Column {
  #bytes = new Uint8Array(256);
  #length = 0;
  push(byte) {
    if (this.#length === this.#bytes.length) {
      const grown = new Uint8Array(2 * this.#length);
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes[this.#length++] = byte;
  }
  get bytes() { return this.#bytes.subarray(0, this.#length); }
}

class Splitting {
  #bytes;
  #at = 0;  // in bits
  columns = [];
  constructor(bytes) { this.#bytes = bytes; }
  get ended() { return this.#at >= 8 * this.#bytes.length; }
  align() { this.#at = 32 * Math.ceil(this.#at / 32); }
  column() { return this.columns[this.columns.push(new Column()) - 1]; }
  field(width, column) {
    let value = 0;
    for (let got = 0; got < width;) {
      const from = this.#at % 8, count = Math.min(8 - from, width - got);
      value += ((this.#bytes[this.#at >>> 3] >>> from) & ((1 << count) - 1)) * 2 ** got;
      got += count;
      this.#at += count;
    }
    for (let i = 0; i < width; i += 8) column.push(Math.floor(value / 2 ** i) % 256);
    return value;
  }
}

class Joining {
  #columns;
  #at = 0;
  constructor(size, columns) {
    this.bytes = new Uint8Array(size);
    this.#columns = columns;
  }
  get ended() { return this.#at >= 8 * this.bytes.length; }
  align() { this.#at = 32 * Math.ceil(this.#at / 32); }
  column() { return { bytes: this.#columns.shift(), at: 0 }; }
  field(width, column) {
    let value = 0;
    for (let i = 0; i < width; i += 8) value += column.bytes[column.at++] * 2 ** i;
    for (let put = 0; put < width;) {
      const from = this.#at % 8, count = Math.min(8 - from, width - put);
      this.bytes[this.#at >>> 3] |= (Math.floor(value / 2 ** put) & ((1 << count) - 1)) << from;
      put += count;
      this.#at += count;
    }
    return value;
  }
}

/**
 * @param {Uint8Array} bytes a bitstream
 * @returns {Uint8Array} 32-bit numbers (the file's size, the number of columns, each column's size), then the columns
 */
export function split(bytes) {
  const splitting = new Splitting(bytes);
  walk(splitting);
  const columns = splitting.columns.map(({ bytes }) => bytes), sizes = Uint32Array.of(bytes.length, columns.length, ...columns.map(({ length }) => length));
  const result = new Uint8Array(columns.reduce((sum, { length }) => sum + length, sizes.byteLength));
  result.set(new Uint8Array(sizes.buffer));
  columns.reduce((at, column) => (result.set(column, at), at + column.length), sizes.byteLength);
  const joined = join(result);
  if (!bytes.every((byte, i) => byte === joined[i])) throw new Error("split: the bitstream has a field that walk() does not know");
  return result;
}

/** @returns {Uint8Array} the bitstream that split() was given */
export function join(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset), size = (i) => view.getUint32(4 * i, true), columns = [];
  for (let i = 0, at = 4 * (2 + size(1)); i < size(1); at += size(2 + i++)) columns.push(bytes.subarray(at, at + size(2 + i)));
  const joining = new Joining(size(0), columns);
  walk(joining);
  return joining.bytes;
}
