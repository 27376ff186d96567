package main

// file-format.md: a .wbird file, checked before it is asked.

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"strings"
)

const pageBytes = 4096

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func crc32c(parts ...[]byte) (crc uint32) {
	for _, part := range parts {
		crc = crc32.Update(crc, castagnoli, part)
	}
	return crc
}

// Filter is a file whose bytes are all as they were written.
type Filter struct {
	Layout     uint32
	Seed       uint64
	Expected   uint64
	Fpp        float64
	ID         string
	words      []uint64
	data       []byte
	parameters [3]uint64
	added      *Filter // Of an overlay, or nil.
	removed    *Filter
}

const (
	signatureKind = 1
	overlayKind   = 2
	deltaLayout   = 11
	difference    = 12
)

// Open checks the bytes of a file. What is damaged or unknown in any part of it is an error.
func Open(data []byte) (*Filter, error) { return OpenSigned(data, nil) }

// OpenSigned does the same, and the file must be signed by this key of Ed25519 if it is not nil.
func OpenSigned(data, signer []byte) (*Filter, error) {
	u32 := func(at uint64) uint32 { return binary.LittleEndian.Uint32(data[at:]) }
	u64 := func(at uint64) uint64 { return binary.LittleEndian.Uint64(data[at:]) }
	refuse := func(what string, values ...any) (*Filter, error) {
		return nil, fmt.Errorf("damaged or foreign: "+what, values...)
	}
	length := uint64(len(data))
	if length < 256 || string(data[:8]) != "\x89WBIRD\r\n" {
		return refuse("magic")
	}
	if crc32c(data[:252]) != u32(252) {
		return refuse("header")
	}
	filter := &Filter{Layout: u32(12), Seed: u64(16), Expected: u64(24), Fpp: math.Float64frombits(u64(32))}
	if version := binary.LittleEndian.Uint16(data[8:]); version != 2 || filter.Layout < 1 || filter.Layout > difference {
		return refuse("version %d, layout %d", version, filter.Layout)
	}
	if u32(196) != 0 {
		return refuse("needs a reader with features %x", u32(196))
	}
	if u32(60) != 0 {
		return refuse("not whole, needs journal %d", u32(60))
	}
	if data[128] > 64 {
		return refuse("key id")
	}
	filter.ID = string(data[129 : 129+uint64(data[128])])
	size, start := u64(48), uint64(256)
	if size > 1<<24 {
		start = pageBytes
	}
	if u32(56) != pageBytes || size%8 != 0 || size > 1<<56 {
		return refuse("sizes")
	}
	pages, table := up(size, pageBytes), start+size
	sections := table + 4*pages
	if length < sections+16 || bytes.Count(data[256:start], []byte{0}) != int(start-256) {
		return refuse("length")
	}
	end, bodies := sections, map[uint32][]byte{}
	for length-end >= 48 && string(data[end:end+8]) == "\x89WSect\r\n" {
		if crc32c(data[252:256], data[end:end+28]) != u32(end+28) {
			return refuse("section at %d", end)
		}
		kind, size := u32(end+8), u64(end+16)
		if u32(end+12)&1 != 0 && kind != overlayKind {
			return refuse("section of kind %d must be understood", kind)
		}
		if size > length-end-48 {
			return refuse("length of the section at %d", end)
		}
		next := end + 32 + up(size, 8)*8
		if kind == signatureKind || kind == overlayKind {
			body := data[end+32 : end+32+size]
			zeros := data[end+32+size : next]
			if bodies[kind] != nil || crc32c(body) != u32(end+24) || bytes.Count(zeros, []byte{0}) != len(zeros) {
				return refuse("section of kind %d", kind)
			}
			bodies[kind] = body
		}
		end = next
	}
	if length != end+16 || string(data[end:end+8]) != "\x89WIend\r\n" || u32(end+12) != u32(252) {
		return refuse("footer")
	}
	if crc32c(data[table:sections]) != u32(end+8) {
		return refuse("page table")
	}
	signature := bodies[signatureKind]
	if signer != nil {
		if err := checkSignature(signature, signer, data[:256], pages); err != nil {
			return nil, err
		}
	}
	identity := binary.LittleEndian.AppendUint32(nil, crc32c(data[12:24], data[128:193]))
	for page := uint64(0); page < pages; page++ {
		content := data[start+page*pageBytes : start+least(size, (page+1)*pageBytes)]
		if crc32c(identity, binary.LittleEndian.AppendUint64(nil, page), content) != u32(table+4*page) {
			return refuse("page %d", page)
		}
		hash := sha256.Sum256(append(binary.LittleEndian.AppendUint64(nil, page), content...))
		if signer != nil && !bytes.Equal(hash[:16], signature[104+16*page:][:16]) {
			return refuse("page %d is not the signed one", page)
		}
	}
	inverted := ^uint64(0)
	if strings.Contains(" 3 4 9 10 11 12 ", fmt.Sprintf(" %d ", filter.Layout)) {
		inverted = 0
	}
	filter.words = make([]uint64, size/8)
	for i := range filter.words {
		filter.words[i] = u64(start+8*uint64(i)) ^ inverted
	}
	filter.parameters = [3]uint64{u64(64), u64(72), u64(80)}
	filter.data = data[start:table]
	if overlay := bodies[overlayKind]; overlay != nil {
		if err := filter.layOver(overlay, signer, append(data[:256:256], data[table:sections]...)); err != nil {
			return nil, err
		}
	}
	return filter, nil
}

// signature.md
func checkSignature(body, signer, header []byte, pages uint64) error {
	if uint64(len(body)) != 104+16*pages || string(body[:8]) != "\x01\x00\x00\x00\x00\x00\x00\x00" {
		return errors.New("damaged or foreign: the file is not signed")
	}
	if !bytes.Equal(body[8:40], signer) {
		return errors.New("damaged or foreign: signed by another key")
	}
	hashes := sha256.Sum256(body[104:])
	message := append(append([]byte("Woodbird signature 1\n"), header...), hashes[:]...)
	if !ed25519.Verify(signer, message, body[40:104]) {
		return errors.New("damaged or foreign: altered after it was signed")
	}
	return nil
}

// delta.md: lays a delta over this file, whose header and page table are given.
func (filter *Filter) layOver(overlay, signer, base []byte) error {
	delta, err := OpenSigned(overlay, signer)
	if err != nil {
		return err
	}
	reference := sha256.Sum256(base)
	if filter.Layout > 4 || delta.Layout != deltaLayout || len(delta.data) < 32 || !bytes.Equal(delta.data[:32], reference[:]) {
		return errors.New("damaged or foreign: the delta is for another base")
	}
	if delta.ID != filter.ID || delta.Seed != filter.Seed {
		return errors.New("damaged or foreign: the keys of the delta")
	}
	size, added, removed := uint64(len(delta.data)), delta.parameters[0], delta.parameters[1]
	second := 32 + up(added, 8)*8
	if added > size || removed > size || second+up(removed, 8)*8 != size {
		return errors.New("damaged or foreign: the parts of the delta")
	}
	filter.Expected, filter.Fpp = delta.Expected, delta.Fpp
	if added > 0 {
		if filter.added, err = Open(delta.data[32 : 32+added]); err != nil {
			return err
		}
	}
	if removed > 0 {
		if filter.removed, err = Open(delta.data[second : second+removed]); err != nil {
			return err
		}
	}
	isPart := func(part *Filter, layout uint32) bool {
		return part == nil || part.Layout == layout && part.ID == filter.ID && part.Seed == filter.Seed
	}
	if !isPart(filter.added, 3) || !isPart(filter.removed, 10) {
		return errors.New("damaged or foreign: a part of the delta")
	}
	return nil
}

// Patch gives the new file that a delta of difference.md makes of the old one.
func Patch(old, delta []byte) ([]byte, error) {
	file, err := Open(delta)
	if err != nil {
		return nil, err
	}
	refused := func(what string) ([]byte, error) { return nil, errors.New("damaged or foreign: " + what) }
	size, edits := uint64(len(file.data)), file.parameters[2]
	if file.Layout != difference || size < 64 || edits > size || 64+up(edits, 8)*8 != size {
		return refused("no difference")
	}
	base := sha256.Sum256(old)
	oldBytes, newBytes := uint64(len(old)), file.parameters[1]
	if file.parameters[0] != oldBytes || !bytes.Equal(base[:], file.data[:32]) || newBytes > oldBytes+edits {
		return refused("the delta is for another base")
	}
	result := make([]byte, newBytes)
	copy(result, old)
	rest, at := file.data[64:64+edits], uint64(0)
	for len(rest) > 0 {
		same, taken := binary.Uvarint(rest)
		if taken <= 0 {
			return refused("an edit")
		}
		rest = rest[taken:]
		count, taken := binary.Uvarint(rest)
		if taken <= 0 || count > uint64(len(rest)-taken) || same > newBytes-at || count > newBytes-at-same {
			return refused("an edit")
		}
		at += same
		copy(result[at:], rest[taken:taken+int(count)])
		at, rest = at+count, rest[taken+int(count):]
	}
	if made := sha256.Sum256(result); !bytes.Equal(made[:], file.data[32:64]) {
		return refused("the edits make another file")
	}
	return result, nil
}

// Maybe says whether the key with this hash may be here. False is certain; an error is no answer.
func (filter *Filter) Maybe(hash uint64) (maybe bool, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			maybe, err = true, fmt.Errorf("damaged or foreign: %v", fault)
		}
	}()
	if filter.added != nil {
		if maybe, err := filter.added.Maybe(hash); maybe || err != nil {
			return maybe, err
		}
	}
	if filter.removed != nil {
		if gone, err := filter.removed.Maybe(hash); gone || err != nil {
			return err != nil, err
		}
	}
	words, first, second, third := filter.words, filter.parameters[0], filter.parameters[1], filter.parameters[2]
	switch filter.Layout {
	case 1:
		return all(words, blocked(hash, first, second)), nil
	case 2:
		return all(words, classic(hash, first, second)), nil
	case 3, 9:
		_, maybe = filter.value(hash)
		return maybe, nil
	case 4:
		return fuse(words, hash, first, second), nil
	case 5:
		return quotient(words, hash, first, second, third), nil
	case 6:
		return counting(words, hash, first, second), nil
	case 7:
		return growing(words, hash, first, second), nil
	case 8:
		return window(words, hash, first, second, third), nil
	case 10:
		return exact(words, hash, first, second), nil
	default:
		return true, errors.New("damaged or foreign: a delta is no filter")
	}
}

// value gives the value of a hash in a map, and whether it may be here.
func (filter *Filter) value(hash uint64) (uint64, bool) {
	shardBits := filter.parameters[0]
	return lookUp(filter.words, hash>>(64-shardBits), hash<<shardBits)
}

// Hash gives the hash of a key that is given as text, under a secret of 16 bytes or nil.
func (filter *Filter) Hash(key string, secret []byte) (uint64, error) {
	kind := strings.SplitN(filter.ID, ":", 2)[0]
	if filter.ID != keyID(kind, secret) {
		return 0, fmt.Errorf("damaged or foreign: keys %s", filter.ID)
	}
	return keyHash(kind, key, filter.Seed, secret)
}
