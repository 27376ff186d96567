"""The worked examples of the pages, from the vectors. Checks the pages, or writes them anew.

    python3 examples.py SPEC [--write]
"""
import re, struct, sys
from pathlib import Path

import woodbird as w

KEY = "crow"


def fuse(spec):
    data = (spec / "vectors/frozen/fuse-strings.wbird").read_bytes()
    filter_ = w.Filter(data)
    hash_ = w.key_hash("bytes", KEY, filter_.seed)
    at, halves = w.shard_entry(filter_.words, 0)
    (segment, first), (width, salt) = halves[1], halves[5]
    assert salt == 0 and width == 8
    slot0 = w.to_range(hash_, first)
    slots = slot0, slot0 + segment ^ hash_ >> 18 & segment - 1, slot0 + 2 * segment ^ hash_ & segment - 1
    lines = ["entry       begins at word %d; segment length %d, first slots %d; 8 bits per slot, salt 0, %d keys"
             % (at, segment, first, filter_.words[6]),
             "hash        = %016x" % hash_, "m           = the same, as the salt is 0"]
    for i, slot in enumerate(slots):
        place = 256 + 8 * at + slot
        lines.append("s%d          = %d: byte %d of the shard, %x of the file, is %02x" % (i, slot, slot, place, data[place]))
    lines.append("fingerprint = %02x = the xor of the three" % ((hash_ >> 32 ^ hash_ >> 1) & 255))
    assert filter_.maybe(hash_)
    return lines


def ribbon(spec):
    filter_ = w.Filter((spec / "vectors/frozen/ribbon-strings.wbird").read_bytes())
    words, hash_ = filter_.words, w.key_hash("bytes", KEY, filter_.seed)
    at, halves = w.shard_entry(words, 0)
    (columns, salt), (first_columns, ternary) = halves[5], halves[7]
    layers = "; ".join("layer %d: %s" % (i, "%d segments, %d of them first" % halves[1 + i] if halves[1 + i][0] else "none")
                       for i in range(4))
    segments, first = halves[1]
    start = w.to_range(hash_, 64 * segments - 63)
    code = words[at + start // 128 // 32] >> 2 * (start // 128 % 32) & 3
    assert start % 128 >= w.THRESHOLDS[code] and not ternary, "choose another key"
    begin = lambda number: at + (segments + 63) // 64 + number * columns - min(number, first) * (columns - first_columns)
    segment, shift, bits = start // 64, start % 64, w.splitmix64(hash_ ^ w.GOLDEN)
    result = (bits * w.GOLDEN & w.M64) >> 32
    lines = ["header     shard bits 0, most columns %d" % filter_.parameters[1],
             "entry      begins at word %d; %s;" % (at, layers),
             "           %d columns, %d of first segments, nothing ternary, salt %d, %d keys" % (columns, first_columns, salt, words[6]),
             "hash     = %016x" % hash_, "layer 0:  h = %016x, start = %d" % (hash_, start),
             "bucket   = %d, its code is bits %d and %d of word %d (%016x): %d, threshold %d; %d mod 128 = %d: here"
             % (start // 128, 2 * (start // 128 % 32), 2 * (start // 128 % 32) + 1, at + start // 128 // 32,
                words[at + start // 128 // 32], code, w.THRESHOLDS[code], start, start % 128),
             "bits     = %016x, coefficients = %016x, result = %08x" % (bits, bits | 1, result),
             "segment  = %d, shift %d, begins at word %d; segment %d at word %d" % (segment, shift, begin(segment), segment + 1, begin(segment + 1))]
    for column in range(first_columns if segment < first else columns):
        band = (words[begin(segment) + column] | words[begin(segment + 1) + column] << 64) >> shift & w.M64
        parity = bin(band & (bits | 1)).count("1") & 1
        assert parity == result >> column & 1
        lines.append("column %d: band = %016x, parity %d, bit %d of result is %d" % (column, band, parity, column, result >> column & 1))
    return lines


def table(spec):
    """The checksums in the table of file-format.md."""
    data = (spec / "vectors/two1-strings.wbird").read_bytes()
    u32 = lambda at: struct.unpack_from("<I", data, at)[0]
    identity, word = w.crc32c(data[12:24] + data[128:193]), struct.unpack_from("<Q", data, 256)[0]
    return ["| 0fc | header checksum `%08x` |" % u32(252),
            "| 100 | data: block 0. Word 0 is `%016x`, inverted `%016x` |" % (word, word ^ w.M64),
            "| 240 | page table, one page. The identity, the CRC32C of bytes 00c to 017 and 080 to 0c0, is `%08x`. The CRC32C of `%s`, "
            "`00 00 00 00 00 00 00 00` and the 320 bytes from 100 on is `%08x` |" % (identity, struct.pack("<I", identity).hex(" "), u32(0x240)),
            "| 24c | the CRC32C of `%s` is `%08x` |" % (data[0x240:0x244].hex(" "), u32(0x24C))]


def main(spec, write=""):
    spec, stale = Path(spec), []
    pages = {name: (spec / name).read_text() for name in ("fuse.md", "ribbon.md", "file-format.md")}
    changed = dict(pages)
    for name, lines in (("fuse.md", fuse(spec)), ("ribbon.md", ribbon(spec))):
        block = re.compile(r"(## Worked example\n.*?```\n).*?(```\n)", re.DOTALL)
        changed[name] = block.sub(lambda found: found[1] + "\n".join(lines) + "\n" + found[2], pages[name], count=1)
    for line in table(spec):
        start = re.escape(line[:line.index("|", 2) + 1])
        changed["file-format.md"] = re.sub("(?m)^" + start + ".*$", lambda _: line, changed["file-format.md"], count=1)
    for name in pages:
        if changed[name] != pages[name]:
            stale.append(name)
            if write:
                (spec / name).write_text(changed[name])
    print("%d pages, stale: %s" % (len(pages), ", ".join(stale) or "none"))
    sys.exit(1 if stale and not write else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
