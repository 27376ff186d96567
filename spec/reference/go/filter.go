package main

// file-format.md: a .wbird file, checked before it is asked.

import (
	"bytes"
	"encoding/binary"
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
	parameters [3]uint64
}

// Open checks the bytes of a file. What is damaged or unknown in any part of it is an error.
func Open(data []byte) (*Filter, error) {
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
	if version := binary.LittleEndian.Uint16(data[8:]); version != 2 || filter.Layout < 1 || filter.Layout > 10 {
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
	end := sections
	for length-end >= 48 && string(data[end:end+8]) == "\x89WSect\r\n" {
		if crc32c(data[252:256], data[end:end+28]) != u32(end+28) {
			return refuse("section at %d", end)
		}
		if u32(end+12)&1 != 0 {
			return refuse("section of kind %d must be understood", u32(end+8))
		}
		if u64(end+16) > length-end-48 {
			return refuse("length of the section at %d", end)
		}
		end += 32 + up(u64(end+16), 8)*8
	}
	if length != end+16 || string(data[end:end+8]) != "\x89WIend\r\n" || u32(end+12) != u32(252) {
		return refuse("footer")
	}
	if crc32c(data[table:sections]) != u32(end+8) {
		return refuse("page table")
	}
	identity := binary.LittleEndian.AppendUint32(nil, crc32c(data[12:24], data[128:193]))
	for page := uint64(0); page < pages; page++ {
		content := data[start+page*pageBytes : start+least(size, (page+1)*pageBytes)]
		if crc32c(identity, binary.LittleEndian.AppendUint64(nil, page), content) != u32(table+4*page) {
			return refuse("page %d", page)
		}
	}
	inverted := ^uint64(0)
	if strings.Contains(" 3 4 9 10 ", fmt.Sprintf(" %d ", filter.Layout)) {
		inverted = 0
	}
	filter.words = make([]uint64, size/8)
	for i := range filter.words {
		filter.words[i] = u64(start+8*uint64(i)) ^ inverted
	}
	filter.parameters = [3]uint64{u64(64), u64(72), u64(80)}
	return filter, nil
}

// Maybe says whether the key with this hash may be here. False is certain; an error is no answer.
func (filter *Filter) Maybe(hash uint64) (maybe bool, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			maybe, err = true, fmt.Errorf("damaged or foreign: %v", fault)
		}
	}()
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
	default:
		return exact(words, hash, first, second), nil
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
