"""A second reader of .wbird files, written from the pages in spec/ alone. Standard library only.

    python3 woodbird.py FOLDER           checks the vectors in a folder
    python3 woodbird.py FILE [KEY ...]   asks a file about keys
"""
import json, os, struct, sys, uuid
from hashlib import sha256
from functools import reduce
from itertools import combinations
from pathlib import Path

import ed25519

M64 = (1 << 64) - 1

# ---- hash.md

S = [0x2D358DCCAA6C78A5, 0x8BB84B93962EACC9, 0x4B33A62ED433D4A3, 0x4D5A2DA51DE1AA47,
     0xA0761D6478BD642F, 0xE7037ED1A0B428DB, 0x90ED1765281C388C, 0xAAAAAAAAAAAAAAAA]


def mix(a, b):
    return (a * b & M64) ^ (a * b >> 64)


def rapidhash3(data, seed):
    word = lambda at: int.from_bytes(data[at:at + 8], "little")
    at, left, a, b = 0, len(data), 0, 0
    state = seed ^ mix(seed ^ S[2], S[1])
    if left > 112:
        lanes = [state] * 7
        while left > 112:
            lanes = [mix(word(at + 16 * i) ^ S[i], word(at + 16 * i + 8) ^ lanes[i]) for i in range(7)]
            at, left = at + 112, left - 112
        state = reduce(int.__xor__, lanes)
    if len(data) > 16:
        for step in range((left - 1) // 16):
            secret = S[1] if step in (2, 3, 5) else S[2]
            state = mix(word(at + 16 * step) ^ secret, word(at + 16 * step + 8) ^ state)
        a, b = word(len(data) - 16) ^ left, word(len(data) - 8)
    elif left >= 4:
        width, state = 8 if left >= 8 else 4, state ^ left
        a, b = int.from_bytes(data[:width], "little"), int.from_bytes(data[-width:], "little")
    elif left > 0:
        a, b = data[0] << 45 | data[-1], data[left >> 1]
    product = (a ^ S[1]) * (b ^ state)
    return mix(product & M64 ^ S[7], product >> 64 ^ S[1] ^ left)


def splitmix64(value):
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & M64
    value = (value ^ value >> 27) * 0x94D049BB133111EB & M64
    return value ^ value >> 31


def siphash13(data, secret, seed):
    k0, k1 = struct.unpack("<QQ", secret)
    a, b, c, d = (key ^ text for key, text in zip((k0 ^ seed, k1, k0 ^ seed, k1), (
        0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)))
    left = lambda x, by: (x << by | x >> 64 - by) & M64
    padded = data + bytes(7 - len(data) % 8) + bytes([len(data) & 255])
    words = [word for (word,) in struct.iter_unpack("<Q", padded)]
    for i, word in enumerate(words + [0, 0, 0]):
        c, d = c ^ (255 if i == len(words) else 0), d ^ word
        a, c = a + b & M64, c + d & M64
        b, d, a = left(b, 13) ^ a, left(d, 16) ^ c, left(a, 32)
        c, a = c + b & M64, a + d & M64
        b, d, c = left(b, 17) ^ c, left(d, 21) ^ a, left(c, 32)
        a ^= word
    return a ^ b ^ c ^ d


def key_id(kind, secret):
    if secret:
        return "%s:siphash13:%016x" % (kind, siphash13(b"woodbird key fingerprint", secret, 0))
    return kind + (":splitmix64" if kind == "int64" else ":rapidhash3")


def key_hash(kind, text, seed, secret=None):
    data = {"bytes": lambda: text.encode("utf-8", "replace"),
            "uuid": lambda: uuid.UUID(text).bytes,
            "int64": lambda: (int(text) & M64).to_bytes(8, "little")}[kind]()
    if secret:
        return siphash13(data, secret, seed)
    return splitmix64(int(text) + seed & M64) if kind == "int64" else rapidhash3(data, seed)


# ---- blocked-bloom.md and classic-bloom.md: the numbers of the bits that a hash owns

def to_range(hash_, limit):
    return (hash_ >> 1) * (limit << 1) >> 64


def classic(hash_, bit_count, hashes):
    for _ in range(hashes):
        hash_ = hash_ * 0xD1342543DE82EF95 & M64
        yield to_range(hash_, bit_count)


#         id: blocks, words, bits
SHAPES = {1: (1, 2, 1), 2: (1, 2, 2), 3: (1, 2, 3), 4: (1, 4, 2), 5: (2, 2, 3), 6: (2, 4, 2), 7: (2, 4, 3)}


def smallest_turns(bits):
    """The masks of so many bits that are the smallest of their 64 rotations, in ascending order."""
    masks = (1 | sum(1 << place for place in places) for places in combinations(range(1, 64), bits - 1))
    return sorted(mask for mask in masks if all((mask << by | mask >> 64 - by) & M64 >= mask for by in range(64)))


CLASSES = {bits: smallest_turns(bits) for bits in (1, 2, 3)}


def blocked(hash_, block_count, shape):
    blocks, words, bits = SHAPES[shape]
    for _ in range(blocks):
        start = to_range(hash_, block_count) * 512
        pattern, product = hash_ * 0x9E3779B97F4A7C15 & M64, hash_ * 0xC2B2AE3D27D4EB4F & M64
        for j in range(words):
            if words == 2:
                word = 4 * j + (hash_ >> 21 + 2 * j & 3)
                class_, turn = hash_, hash_ >> 9 + 6 * j
            else:
                word = j + 4 * (pattern >> 60 + j & 1)
                class_, turn = pattern >> 15 * j, pattern >> 15 * j + 9
            mask = CLASSES[bits][(class_ & 511) * len(CLASSES[bits]) >> 9]
            for bit in range(64):
                if mask >> bit & 1:
                    yield start + 64 * word + (bit + turn & 63)
        hash_ = product ^ product >> 32


# ---- ribbon.md and fuse.md

GOLDEN, SILVER, THRESHOLDS = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, (0, 17, 36, 128)


def shard_entry(words, index):
    entry = words[8 * index:][:8]
    return entry[0], [(word & 0xFFFFFFFF, word >> 32) for word in entry]


def ribbon(words, hash_, shard_bits, _):
    return lookup(words, hash_ >> 64 - shard_bits, hash_ << shard_bits & M64) is not None


def lookup(words, index, hash_):
    """The value of a hash in the ribbon of an entry, None if it is not here."""
    at, halves = shard_entry(words, index)
    (columns, salt), (first_columns, more) = halves[5], halves[7]
    ternary, values = more & 1, more >> 8
    for layer in range(4):
        segments, first = halves[1 + layer]
        if layer > 0:
            hash_ = splitmix64(hash_ + GOLDEN + (salt << 32 if layer == 3 else 0) & M64)
        if segments == 0:
            continue
        start, slots = to_range(hash_, 64 * segments - 63), at
        if layer < 3:
            slots += (segments + 63) // 64
            code = words[at + start // 128 // 32] >> 2 * (start // 128 % 32) & 3
        begin = lambda segment: slots + segment * (values + columns) - min(segment, first) * (columns - first_columns)
        if layer < 3 and start % 128 < THRESHOLDS[code]:
            at = begin(segments)
            if ternary and first:
                at += -(-min(64 * first + 63, 64 * segments) // 40)
            continue
        segment, shift, bits = start // 64, start % 64, splitmix64(hash_ ^ GOLDEN)
        result = (bits * GOLDEN & M64) >> 32

        def parity(column):
            band = words[begin(segment) + column]
            if shift:
                band |= words[begin(segment + 1) + column] << 64
            return bin(band >> shift & (bits | 1)).count("1") & 1

        for column in range(first_columns if segment < first else columns):
            if parity(values + column) != result >> column & 1:
                return None
        if ternary and segment < first:
            digit = lambda slot: (words[begin(segments) + slot // 40] >> slot % 40 // 5 * 8 & 255) // 3 ** (slot % 5) % 3
            total = sum(digit(start + i) for i in range(64) if (bits | 1) >> i & 1)
            if total % 3 != ((bits * SILVER & M64) >> 32) * 3 >> 32:
                return None
        stored = sum(parity(column) << column for column in range(values))
        return (stored ^ splitmix64(bits ^ SILVER)) & (1 << values) - 1
    return None


def fuse(words, hash_, shard_bits, width):
    def mixed(number):
        value = (hash_ + number * GOLDEN) * 0xBF58476D1CE4E5B9 & M64
        value = (value ^ value >> 32) * 0x94D049BB133111EB & M64
        return value ^ value >> 29

    def slot(number):
        word = at + number * width // 64
        return sum(part << 64 * i for i, part in enumerate(words[word:word + 2])) >> number * width % 64

    at, halves = shard_entry(words, hash_ >> 64 - shard_bits)
    (segment, first), (_, salt) = halves[1], halves[5]
    if first == 0:
        return False
    mix_ = mixed(salt) if salt else hash_
    slot0 = to_range(hash_ << shard_bits & M64 if salt < 4 else mixed(-1 - salt), first)
    slot1, slot2 = slot0 + segment ^ mix_ >> 18 & segment - 1, slot0 + 2 * segment ^ mix_ & segment - 1
    found = slot(slot0) ^ slot(slot1) ^ slot(slot2) ^ mix_ >> 32 ^ mix_ >> 1
    return found & (1 << width) - 1 == 0


# ---- map.md and exact.md

def exact(words, hash_, shard_bits, columns):
    index, first = 2 * (hash_ >> 64 - shard_bits), hash_ << shard_bits & M64
    second = splitmix64(first + GOLDEN + (0xFFFFFFFF << 32) & M64)
    return (columns == 0 or lookup(words, index, first) is not None) and lookup(words, index + 1, second) == 1


# ---- quotient.md and counting-bloom.md

def run(words, bits, blocks, width, wanted):
    """The payloads of a quotient in a shard whose words begin at bits."""
    offsets = bits + 2 * blocks
    remainders = offsets + (blocks + 7) // 8

    occupied = lambda number: words[bits + 2 * (number // 64)] >> number % 64 & 1
    run_end = lambda slot: words[bits + 2 * (slot // 64) + 1] >> slot % 64 & 1
    offset = lambda block: words[offsets + block // 8] >> 8 * (block % 8) & 255

    def payload(slot):
        word, shift = divmod(slot * width, 64)
        return (words[remainders + word + 1] << 64 | words[remainders + word]) >> shift & (1 << width) - 1

    block = wanted // 64
    while offset(block) == 255:
        block -= 1
    slot = first = 64 * block + offset(block)
    for number in range(64 * block, wanted + 1):
        if occupied(number):
            first = slot = max(slot, number)
            while not run_end(slot):
                slot += 1
            slot += 1
    return [payload(number) for number in range(first, slot)] if occupied(wanted) else []


def quotient(words, hash_, shard_bits, quotients, width):
    blocks = (quotients + 192 + 63) // 64
    shard_words = 2 * blocks + (blocks + 7) // 8 + blocks * width + 2
    product = (hash_ << shard_bits & M64 - 1) * quotients
    start = (hash_ >> 64 - shard_bits) * shard_words
    return (product & M64) >> 64 - width in run(words, start, blocks, width, product >> 64)


def counting(words, hash_, block_count, shape):
    return all(words[place // 16] >> 4 * (place % 16) & 15 for place in blocked(hash_, block_count, shape))


# ---- growing.md and window.md

def growing(words, hash_, shards, fingerprint):
    low, high = 0, shards
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if words[4 * middle + 3] <= hash_ else (low, middle)
    at = 4 * low
    shard, place, slots = words[at] & 255, words[at] >> 8 & 255, words[at] >> 32
    quotient_ = (hash_ << shard & M64) >> 64 - place
    as_new = ((hash_ << shard + place & M64) >> 64 - fingerprint) * 2 + 1
    lowest = lambda payload: payload & -payload
    return any((payload ^ as_new) // lowest(payload) < 2
               for payload in run(words, words[at + 1], slots // 64, fingerprint + 1, quotient_))


def window(words, hash_, block_count, shape, span):
    state = words[64 * block_count:]
    counts = [age != M64 and (span == 0 or age < span) for age in state[1:9]]
    counts[state[0] % 8] = True
    bits = list(blocked(hash_, block_count, shape))
    return any(counts[slot] and all(words[bit // 64 * 8 + slot] >> bit % 64 & 1 for bit in bits)
               for slot in range(8))


# ---- file-format.md

CRC = [reduce(lambda n, _: n >> 1 ^ (0x82F63B78 if n & 1 else 0), range(8), n) for n in range(256)]
SIGNATURE, OVERLAY = 1, 2


def crc32c(data):
    return reduce(lambda crc, byte: CRC[(crc ^ byte) & 255] ^ crc >> 8, data, 0xFFFFFFFF) ^ 0xFFFFFFFF


def check_signature(body, signer, header, pages):
    need(len(body) == 104 + 16 * pages and body[:8] == b"\1" + bytes(7), "the file is not signed")
    need(body[8:40] == signer, "signed by another key")
    message = b"Woodbird signature 1\n" + header + sha256(body[104:]).digest()
    need(ed25519.verify(signer, body[40:104], message), "altered after it was signed")


def need(right, what):
    if not right:
        raise ValueError("damaged or foreign: " + what)


class Filter:
    def __init__(self, data, signer=None):
        u32 = lambda at: struct.unpack_from("<I", data, at)[0]
        need(data[:8] == b"\x89WBIRD\r\n", "magic")
        need(len(data) >= 256 and crc32c(data[:252]) == u32(252), "header")
        (major, minor, self.layout, self.seed, self.expected, self.fpp, _, size,
         page) = struct.unpack_from("<HHIQQdQQI", data, 8)
        need(major == 2 and 1 <= self.layout <= 12, "version %d.%d, layout %d" % (major, minor, self.layout))
        need(u32(196) == 0, "needs a reader with features %x" % u32(196))
        need(u32(60) == 0, "not whole, needs journal %d" % u32(60))
        self.id = data[129:129 + data[128]].decode()
        pages, start = (size + 4095) // 4096, 256 if size <= 1 << 24 else 4096
        table = start + size
        end = table + 4 * pages
        need(page == 4096 and len(data) >= end + 16 and not any(data[256:start]), "length")
        sections, bodies = end, {}
        while data[end:end + 8] == b"\x89WSect\r\n":
            kind, flags, length, body_crc, crc = struct.unpack_from("<IIQII", data, end + 8)
            need(crc32c(data[252:256] + data[end:end + 28]) == crc, "section at %d" % end)
            need(not flags & 1 or kind == OVERLAY, "section of kind %d must be understood" % kind)
            if kind in (SIGNATURE, OVERLAY):
                need(kind not in bodies and crc32c(data[end + 32:][:length]) == body_crc, "section of kind %d" % kind)
                need(not any(data[end + 32 + length:][:-length % 8]), "zeros of section %d" % kind)
                bodies[kind] = data[end + 32:][:length]
            end += 32 + (length + 7) // 8 * 8
        need(data[end:end + 8] == b"\x89WIend\r\n" and u32(end + 12) == u32(252), "footer")
        need(len(data) == end + 16, "length")
        need(crc32c(data[table:sections]) == u32(end + 8), "page table")
        signature = bodies.get(SIGNATURE, b"")
        if signer:
            check_signature(signature, signer, data[:256], pages)
        identity = struct.pack("<I", crc32c(data[12:24] + data[128:193]))
        for page in range(pages):
            content = data[start + 4096 * page:min(start + 4096 * (page + 1), table)]
            need(crc32c(identity + struct.pack("<Q", page) + content) == u32(table + 4 * page), "page %d" % page)
            hash_ = sha256(struct.pack("<Q", page) + content).digest()[:16]
            need(not signer or hash_ == signature[104 + 16 * page:][:16], "page %d is not the signed one" % page)
        inverted = 0 if self.layout in (3, 4, 9, 10, 11, 12) else M64
        self.words = [word ^ inverted for (word,) in struct.iter_unpack("<Q", data[start:table])]
        self.parameters = struct.unpack_from("<QQQ" if self.layout in (5, 8) else "<QQ", data, 64)
        self.data, self.added, self.removed = data[start:table], None, None
        if OVERLAY in bodies:
            self.lay_over(Filter(bodies[OVERLAY], signer), sha256(data[:256] + data[table:sections]).digest())

    def lay_over(self, delta, reference):
        need(self.layout <= 4 and delta.layout == 11 and delta.data[:32] == reference, "the delta is for another base")
        need((delta.id, delta.seed) == (self.id, self.seed), "the keys of the delta")
        self.expected, self.fpp, (added, removed) = delta.expected, delta.fpp, delta.parameters
        second = 32 + (added + 7) // 8 * 8
        need(second + (removed + 7) // 8 * 8 == len(delta.data), "the parts of the delta")
        self.added = Filter(delta.data[32:32 + added]) if added else None
        self.removed = Filter(delta.data[second:second + removed]) if removed else None
        for part, layout in (self.added, 3), (self.removed, 10):
            need(not part or (part.layout, part.id, part.seed) == (layout, self.id, self.seed), "a part of the delta")

    def value(self, hash_):
        """The value of a hash in a map."""
        shard_bits = self.parameters[0]
        return lookup(self.words, hash_ >> 64 - shard_bits, hash_ << shard_bits & M64)

    def maybe(self, hash_):
        if self.added and self.added.maybe(hash_):
            return True
        return not (self.removed and self.removed.maybe(hash_)) and self.in_base(hash_)

    def in_base(self, hash_):
        need(self.layout < 11, "a delta is no filter")
        if self.layout > 2:
            ask = {3: ribbon, 4: fuse, 5: quotient, 6: counting, 7: growing, 8: window,
                   9: ribbon, 10: exact}[self.layout]
            return ask(self.words, hash_, *self.parameters)
        bits = (blocked if self.layout == 1 else classic)(hash_, *self.parameters)
        return all(self.words[bit >> 6] >> (bit & 63) & 1 for bit in bits)


def patch(old, data, signer=None):
    """difference.md: the new file that a delta makes of the old one."""
    delta = Filter(data, signer)
    old_bytes, new_bytes, edits = struct.unpack_from("<QQQ", data, 64)
    need(delta.layout == 12 and 64 + (edits + 7) // 8 * 8 == len(delta.data), "no difference")
    need(len(old) == old_bytes and sha256(old).digest() == delta.data[:32], "the delta is for another base")
    at, end, new = 64, 64 + edits, b""
    while at < end:
        numbers = [0, 0]
        for i in range(2):
            shift = 0
            while delta.data[at] & 128:
                numbers[i] |= (delta.data[at] & 127) << shift
                at, shift = at + 1, shift + 7
            numbers[i] |= delta.data[at] << shift
            at += 1
        same, other = numbers
        new += old[len(new):][:same] + delta.data[at:][:other]
        at += other
    new += old[len(new):new_bytes]
    need(sha256(new).digest() == delta.data[32:64], "the edits make another file")
    return new


# ---- the vectors

signer_of = lambda vector: bytes.fromhex(vector.get("signer", "")) or None


def check_damaged(folder):
    files = [json.loads(line) for line in (folder / "index.jsonl").open()]
    for vector in files:
        golden = folder.parent / vector["golden"]
        listed = [json.loads(line) for line in (golden.parent / "index.jsonl").open()]
        line = next(line for line in listed if line["file"] == golden.name)
        try:
            filter_ = Filter((folder / vector["file"]).read_bytes(), signer_of(line))
        except ValueError as error:
            need(vector["must"] != "read", "%s: refused, %s" % (vector["file"], error))
            continue
        need(vector["must"] != "refuse", "%s: opened, %s" % (vector["file"], vector["why"]))
        for answer in line["answers"]:
            maybe = filter_.maybe(int(answer["hash"], 16))
            need(maybe if answer["put"] else maybe == answer["maybe"] or vector["must"] == "maybe",
                 "%s: answer %s" % (vector["file"], answer))
    print("%d damaged files: all as they should be" % len(files))


def check(folder):
    if "\"must\"" in (folder / "index.jsonl").open().readline():
        return check_damaged(folder)
    listed = folder / "hashes.jsonl"
    hashes, answers = [json.loads(line) for line in listed.open()] if listed.exists() else [], 0
    for vector in hashes:
        seed, secret = int(vector["seed"], 16), bytes(range(16))
        if "bytes" in vector:
            data = bytes.fromhex(vector["bytes"])
            found = {"rapidhash3": rapidhash3(data, seed), "siphash13": siphash13(data, secret, seed)}
        else:
            found = {"splitmix64": key_hash("int64", vector["integer"], seed),
                     "siphash13": key_hash("int64", vector["integer"], seed, secret)}
        for name, hash_ in found.items():
            need(hash_ == int(vector[name], 16), "hash %s, found %016x" % (vector, hash_))
    listed = folder / "patches.jsonl"
    for vector in [json.loads(line) for line in listed.open()] if listed.exists() else []:
        old, delta, new = ((folder / vector[name]).read_bytes() for name in ("old", "delta", "new"))
        need(patch(old, delta) == new, "%s: makes another file" % vector["delta"])
    files = [json.loads(line) for line in (folder / "index.jsonl").open()]
    for vector in files:
        kind = {"strings": "bytes", "longs": "int64", "uuids": "uuid"}[vector["keys"]]
        secret = vector["secret"] and bytes.fromhex(vector["secret"])
        filter_ = Filter((folder / vector["file"]).read_bytes(), signer_of(vector))
        found = (filter_.id, filter_.seed, filter_.expected, filter_.fpp)
        wanted = (key_id(kind, secret), int(vector["seed"], 16), vector["expected"], vector["fpp"])
        need(found == wanted, "%s: found %s, not %s" % (vector["file"], found, wanted))
        for answer in vector["answers"]:
            hash_ = key_hash(kind, answer["key"], filter_.seed, secret)
            need(hash_ == int(answer["hash"], 16), "%s: hash %s" % (vector["file"], answer))
            need(filter_.maybe(hash_) == answer["maybe"], "%s: answer %s" % (vector["file"], answer))
            if "value" in answer:
                need(str(filter_.value(hash_)) == answer["value"], "%s: value %s" % (vector["file"], answer))
            answers += 1
    print("%d files, %d answers, %d hashes: all as they should be" % (len(files), answers, 2 * len(hashes)))


def main(path, *keys):
    if Path(path).is_dir():
        return check(Path(path))
    filter_ = Filter(Path(path).read_bytes())
    print("layout %d, keys %s, made for %d at fpp %g" % (filter_.layout, filter_.id, filter_.expected, filter_.fpp))
    sys.stdout.reconfigure(errors="surrogateescape")
    kind = filter_.id.split(":")[0]
    need(filter_.id == key_id(kind, None), "keys " + filter_.id)
    for key in keys:
        # A word of the command line is bytes, which need not be text.
        hash_ = rapidhash3(os.fsencode(key), filter_.seed) if kind == "bytes" else key_hash(kind, key, filter_.seed)
        maybe = filter_.maybe(hash_)
        found = "value %d" % filter_.value(hash_) if maybe and filter_.layout == 9 else "maybe here"
        print(key + ": " + (found if maybe else "not here"))


if __name__ == "__main__":
    main(*sys.argv[1:])
