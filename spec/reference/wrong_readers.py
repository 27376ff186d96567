"""Readers that are wrong on purpose. Each must fail at least one vector; the right one passes all.

    python3 wrong_readers.py VECTORS
"""
import io, sys, types
from contextlib import redirect_stdout
from pathlib import Path

# No vector finds a ribbon without the salt of its last layer: a layer that needs one would take many thousands of keys.
#        what is wrong: (folder that must find it, the right text, the wrong text)
WRONG = {
    "no check of the header": ("damaged", "and crc32c(data[:252]) == u32(252)", ""),
    "no check of pages": ("damaged", "== u32(table + 4 * page), \"page %d\" % page)", "or True, \"page\")"),
    "only the first page": ("damaged", "for page in range(pages):", "for page in range(1):"),
    "no check of the page table": ("damaged", 'need(crc32c(data[table:sections]) == u32(end + 8), "page table")', "pass"),
    "no check of the footer": ("damaged", 'and u32(end + 12) == u32(252), "footer")', ', "footer")'),
    "any length": ("damaged", 'need(len(data) == end + 16, "length")', "pass"),
    "sections unknown": ("damaged", 'b"\\x89WSect\\r\\n"', 'b"\\x89WSECT\\r\\n"'),
    "must understand ignored": ("damaged", "need(not flags & 1 or kind == OVERLAY,", "need(True,"),
    "heads of sections unchecked": ("damaged", 'need(crc32c(data[252:256] + data[end:end + 28]) == crc, "section at %d" % end)', "pass"),
    "features ignored": ("damaged", 'need(u32(196) == 0,', "need(True,"),
    "journal ignored": ("damaged", 'need(u32(60) == 0,', "need(True,"),
    "any version": ("damaged", "need(major == 2 and", "need("),
    "identity without the key id": (".", "crc32c(data[12:24] + data[128:193])", "crc32c(data[12:24])"),
    "page number left out": (".", 'identity + struct.pack("<Q", page) + content', 'identity + struct.pack("<Q", 0) + content'),
    "second block skipped": (".", "for _ in range(blocks):", "for _ in range(1):"),
    "masks without their top bit": (".", "if mask >> bit & 1:", "if mask >> bit & 1 and mask >> bit > 1:"),
    "masks that are not turned": (".", "(bit + turn & 63)", "bit"),
    "one class for all masks": (".", "mask = CLASSES[bits][(class_ & 511)", "mask = CLASSES[bits][(0 & 511)"),
    "four words without word 3": (".", "for j in range(words):", "for j in range(min(words, 3)):"),
    "classic, one bit fewer": (".", "for _ in range(hashes):", "for _ in range(hashes - 1):"),
    "ribbon without layer 2": ("frozen", "for layer in range(4):", "for layer in (0, 2, 3):"),
    "ribbon without the last layer": ("frozen", "for layer in range(4):", "for layer in range(3):"),
    "ribbon without the ternary column": ("frozen", "if ternary and segment < first:", "if False:"),
    "ribbon, one column fewer": ("frozen", "in range(first_columns if segment < first else columns):", "in range((first_columns if segment < first else columns) - 1):"),
    "fuse without the top bit": ("frozen", "return found & (1 << width) - 1 == 0", "return found & (1 << width - 1) - 1 == 0"),
    "fuse without salts": ("frozen", "mix_ = mixed(salt) if salt else hash_", "mix_ = hash_"),
    "fuse without salts of 1 to 3": ("frozen", "mix_ = mixed(salt) if salt else hash_", "mix_ = mixed(salt) if salt > 3 else hash_"),
    "map without its mask": ("lists", "(stored ^ splitmix64(bits ^ SILVER))", "stored"),
    "map, value columns last": ("lists", "if parity(values + column) !=", "if parity(column) !="),
    "map, bits of a value reversed": ("lists", "parity(column) << column for", "parity(column) << values - 1 - column for"),
    "exact without its first level": ("lists", "(columns == 0 or lookup(words, index, first) is not None) and ", ""),
    "exact without its second level": ("lists", " and lookup(words, index + 1, second) == 1", ""),
    "exact, one hash for both levels": ("lists", "second = splitmix64(first + GOLDEN + (0xFFFFFFFF << 32) & M64)", "second = first"),
    "overlay ignored": ("shipped", "if OVERLAY in bodies:", "if False:"),
    "added keys ignored": ("shipped", "if self.added and self.added.maybe(hash_):", "if False:"),
    "removed keys ignored": ("shipped", "not (self.removed and self.removed.maybe(hash_)) and ", ""),
    "delta for any base": ("damaged", "and delta.data[:32] == reference,", ","),
    "an overlay on a map": ("damaged", "need(self.layout <= 4 and delta.layout == 11", "need(delta.layout == 11"),
    "any parts of a delta": ("damaged", "need(not part or (part.layout, part.id, part.seed) == (layout, self.id, self.seed),", "need(True,"),
    "numbers of one byte in a difference": ("shipped", "while delta.data[at] & 128:", "while False:"),
    "the end of the old file forgotten": ("shipped", "new += old[len(new):new_bytes]", "pass"),
    "damaged overlay": ("damaged", "kind not in bodies and crc32c(data[end + 32:][:length]) == body_crc", "True"),
    "signature unchecked": ("damaged", "need(ed25519.verify(signer, body[40:104], message),", "need(True,"),
    "unsigned file": ("damaged", "        if signer:\n            check_signature(signature, signer, data[:256], pages)\n", ""),
    "pages unsigned": ("damaged", "need(not signer or hash_ == signature[104 + 16 * page:][:16],", "need(True,"),
    "signature without the header": ("shipped", '1\\n" + header + sha256', '1\\n" + sha256'),
    "quotient, one bit of the remainder": ("deletable", "(product & M64) >> 64 - width in", "(product & M64) >> 64 - width ^ 1 << width - 1 in"),
    "quotient, offsets of 255 as they are": ("deletable", "while offset(block) == 255:", "while False:"),
    "growing, slots by the quotients": ("growing", "words[at] >> 8 & 255, words[at] >> 32", "words[at] >> 8 & 255, (1 << (words[at] >> 8 & 255)) + 192"),
    "counting as bits": ("deletable", ">> 4 * (place % 16) & 15", ">> 4 * (place % 16) & 1"),
    "growing, always the first shard": ("growing", "low, high = 0, shards", "low, high = 0, 1"),
    "growing, whole payloads only": ("growing", "(payload ^ as_new) // lowest(payload) < 2", "payload == as_new"),
    "window without its newest": ("window", "counts[state[0] % 8] = True", "pass"),
    "window, all that is there": ("window", "age != M64 and (span == 0 or age < span)", "age != M64"),
}


def passes(source, folder):
    reader = types.ModuleType("reader")
    try:
        exec(compile(source, "reader", "exec"), reader.__dict__)
        with redirect_stdout(io.StringIO()):
            reader.check(folder)
        return True
    except Exception:  # However it fails.
        return False


def main(vectors):
    source, vectors = Path(__file__).with_name("woodbird.py").read_text(), Path(vectors)
    for folder in sorted({folder for folder, _, _ in WRONG.values()}):
        if not passes(source, vectors / folder):
            sys.exit("the right reader fails in " + folder)
    print("the right reader passes")
    missed = []
    for name, (folder, right, wrong) in WRONG.items():
        if source.count(right) != 1:
            sys.exit("%s: the text is in the reader %d times" % (name, source.count(right)))
        if passes(source.replace(right, wrong), vectors / folder):
            missed.append(name)
    print("%d wrong readers, %d not found: %s" % (len(WRONG), len(missed), ", ".join(missed)))
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
