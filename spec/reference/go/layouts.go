package main

// The layouts: whether a hash may be in the words of a filter. A word past the end is a panic, which
// Filter.Maybe turns into an error.

import (
	"math/bits"
	"sort"
)

const (
	golden = 0x9e3779b97f4a7c15
	silver = 0xc2b2ae3d27d4eb4f
)

func toRange(hash, limit uint64) uint64 {
	high, _ := bits.Mul64(hash>>1, limit<<1)
	return high
}

func up(number, by uint64) uint64 { return (number + by - 1) / by }

func least(a, b uint64) uint64 {
	if a < b {
		return a
	}
	return b
}

// ---- classic-bloom.md and blocked-bloom.md: the numbers of the bits that a hash owns

func classic(hash, bitCount, hashes uint64) (places []uint64) {
	for ; hashes > 0; hashes-- {
		hash *= 0xd1342543de82ef95
		places = append(places, toRange(hash, bitCount))
	}
	return places
}

// By number: blocks, words, bits.
var shapes = [][3]int{{}, {1, 2, 1}, {1, 2, 2}, {1, 2, 3}, {1, 4, 2}, {2, 2, 3}, {2, 4, 2}, {2, 4, 3}}

var classes = [][]uint64{nil, classesOf(1), classesOf(2), classesOf(3)}

// classesOf gives the masks of so many bits that are the smallest of their 64 rotations, ascending.
func classesOf(count int) []uint64 {
	var masks []uint64
	add := func(mask uint64) {
		for by := 0; by < 64; by++ {
			if bits.RotateLeft64(mask, by) < mask {
				return
			}
		}
		masks = append(masks, mask)
	}
	if count == 1 {
		add(1)
	}
	for i := 1; i < 64 && count > 1; i++ {
		if count == 2 {
			add(1 | 1<<i)
		}
		for j := i + 1; j < 64 && count == 3; j++ {
			add(1 | 1<<i | 1<<j)
		}
	}
	sort.Slice(masks, func(i, j int) bool { return masks[i] < masks[j] })
	return masks
}

func blocked(hash, blockCount, shape uint64) (places []uint64) {
	for block := 0; block < shapes[shape][0]; block++ {
		start := toRange(hash, blockCount) * 512
		pattern, product := hash*golden, hash*silver
		for j := 0; j < shapes[shape][1]; j++ {
			word, class, turn := 4*uint64(j)+hash>>(21+2*j)&3, hash, hash>>(9+6*j)
			if shapes[shape][1] == 4 {
				word, class, turn = uint64(j)+4*(pattern>>(60+j)&1), pattern>>(15*j), pattern>>(15*j+9)
			}
			masks := classes[shapes[shape][2]]
			for mask := masks[class&511*uint64(len(masks))>>9]; mask != 0; mask &= mask - 1 {
				place := uint64(bits.TrailingZeros64(mask))
				places = append(places, start+64*word+(place+turn)&63)
			}
		}
		hash = product ^ product>>32
	}
	return places
}

func all(words []uint64, places []uint64) bool {
	for _, place := range places {
		if words[place/64]>>(place%64)&1 == 0 {
			return false
		}
	}
	return true
}

func counting(words []uint64, hash, blockCount, shape uint64) bool {
	for _, place := range blocked(hash, blockCount, shape) {
		if words[place/16]>>(4*(place%16))&15 == 0 {
			return false
		}
	}
	return true
}

// ---- ribbon.md, map.md, exact.md and fuse.md

type half struct{ low, high uint64 }

func shardEntry(words []uint64, index uint64) (at uint64, halves [8]half) {
	for i := range halves {
		word := words[8*index+uint64(i)]
		halves[i] = half{word & 0xffffffff, word >> 32}
	}
	return words[8*index], halves
}

var thresholds = [4]uint64{0, 17, 36, 128}

var powersOf3 = [5]uint64{1, 3, 9, 27, 81}

// lookUp gives the value of a hash in the ribbon of an entry, and whether it may be here.
func lookUp(words []uint64, index, hash uint64) (uint64, bool) {
	at, halves := shardEntry(words, index)
	columns, salt, firstColumns := halves[5].low, halves[5].high, halves[7].low
	ternary, values := halves[7].high&1 == 1, halves[7].high>>8
	for layer := 0; layer < 4; layer++ {
		segments, first := halves[1+layer].low, halves[1+layer].high
		if layer == 3 {
			hash = splitmix64(hash + golden + salt<<32)
		} else if layer > 0 {
			hash = splitmix64(hash + golden)
		}
		if segments == 0 {
			continue
		}
		start, slots := toRange(hash, 64*segments-63), at
		if layer < 3 {
			slots += up(segments, 64)
		}
		begin := func(segment uint64) uint64 {
			return slots + segment*(values+columns) - least(segment, first)*(columns-firstColumns)
		}
		if layer < 3 {
			bucket := start / 128
			if start%128 < thresholds[words[at+bucket/32]>>(2*(bucket%32))&3] {
				at = begin(segments)
				if ternary && first > 0 {
					at += up(least(64*first+63, 64*segments), 40)
				}
				continue
			}
		}
		segment, shift := start/64, start%64
		coefficients := splitmix64(hash ^ golden)
		result := coefficients * golden >> 32
		parity := func(column uint64) uint64 {
			band := words[begin(segment)+column] >> shift
			if shift > 0 {
				band |= words[begin(segment+1)+column] << (64 - shift)
			}
			return uint64(bits.OnesCount64(band&(coefficients|1)) & 1)
		}
		count := columns
		if segment < first {
			count = firstColumns
		}
		for column := uint64(0); column < count; column++ {
			if parity(values+column) != result>>column&1 {
				return 0, false
			}
		}
		if ternary && segment < first {
			total := uint64(0)
			for rest := coefficients | 1; rest != 0; rest &= rest - 1 {
				slot := start + uint64(bits.TrailingZeros64(rest))
				total += words[begin(segments)+slot/40] >> (slot % 40 / 5 * 8) & 255 / powersOf3[slot%5] % 3
			}
			if total%3 != (coefficients*silver>>32)*3>>32 {
				return 0, false
			}
		}
		stored := uint64(0)
		for column := uint64(0); column < values; column++ {
			stored |= parity(column) << column
		}
		return (stored ^ splitmix64(coefficients^silver)) & (1<<values - 1), true
	}
	return 0, false
}

func exact(words []uint64, hash, shardBits, columns uint64) bool {
	index, first := 2*(hash>>(64-shardBits)), hash<<shardBits
	if columns > 0 {
		if _, here := lookUp(words, index, first); !here {
			return false
		}
	}
	value, here := lookUp(words, index+1, splitmix64(first+golden+0xffffffff<<32))
	return here && value == 1
}

func fuse(words []uint64, hash, shardBits, width uint64) bool {
	mixed := func(number uint64) uint64 {
		value := (hash + number*golden) * 0xbf58476d1ce4e5b9
		value = (value ^ value>>32) * 0x94d049bb133111eb
		return value ^ value>>29
	}
	at, halves := shardEntry(words, hash>>(64-shardBits))
	segment, first, salt := halves[1].low, halves[1].high, halves[5].high
	if first == 0 {
		return false
	}
	slot := func(number uint64) uint64 {
		word, shift := at+number*width/64, number*width%64
		value := words[word] >> shift
		if shift+width > 64 {
			value |= words[word+1] << (64 - shift)
		}
		return value
	}
	chosen, place := hash, hash<<shardBits
	if salt > 0 {
		chosen = mixed(salt)
	}
	if salt >= 4 {
		place = mixed(^salt)
	}
	slot0 := toRange(place, first)
	slot1, slot2 := slot0+segment^chosen>>18&(segment-1), slot0+2*segment^chosen&(segment-1)
	return (slot(slot0)^slot(slot1)^slot(slot2)^chosen>>32^chosen>>1)&(1<<width-1) == 0
}

// ---- quotient.md and growing.md

// run gives the payloads of a quotient in a shard whose words begin at from.
func run(words []uint64, from, blocks, width, wanted uint64) (payloads []uint64) {
	offsets := from + 2*blocks
	remainders := offsets + up(blocks, 8)
	occupied := func(number uint64) bool { return words[from+2*(number/64)]>>(number%64)&1 == 1 }
	runEnd := func(slot uint64) bool { return words[from+2*(slot/64)+1]>>(slot%64)&1 == 1 }
	offset := func(block uint64) uint64 { return words[offsets+block/8] >> (8 * (block % 8)) & 255 }
	if !occupied(wanted) {
		return nil
	}
	block := wanted / 64
	for offset(block) == 255 {
		block--
	}
	slot := 64*block + offset(block)
	first := slot
	for number := 64 * block; number <= wanted; number++ {
		if !occupied(number) {
			continue
		}
		if slot < number {
			slot = number
		}
		first = slot
		for !runEnd(slot) {
			slot++
		}
		slot++
	}
	for ; first < slot; first++ {
		word, shift := remainders+first*width/64, first*width%64
		value := words[word]>>shift | words[word+1]<<(64-shift)
		payloads = append(payloads, value&(1<<width-1))
	}
	return payloads
}

func quotient(words []uint64, hash, shardBits, quotients, width uint64) bool {
	blocks := up(quotients+192, 64)
	shardWords := 2*blocks + up(blocks, 8) + blocks*width + 2
	wanted, low := bits.Mul64(hash<<shardBits&^1, quotients)
	for _, payload := range run(words, hash>>(64-shardBits)*shardWords, blocks, width, wanted) {
		if payload == low>>(64-width) {
			return true
		}
	}
	return false
}

func growing(words []uint64, hash, shards, fingerprint uint64) bool {
	low, high := uint64(0), shards
	for high-low > 1 {
		if middle := (low + high) / 2; words[4*middle+3] <= hash {
			low = middle
		} else {
			high = middle
		}
	}
	entry, from := words[4*low], words[4*low+1]
	shard, place, slots := entry&255, entry>>8&255, entry>>32
	asNew := hash<<(shard+place)>>(64-fingerprint)*2 + 1
	for _, payload := range run(words, from, slots/64, fingerprint+1, hash<<shard>>(64-place)) {
		if (payload^asNew)/(payload&-payload) < 2 {
			return true
		}
	}
	return false
}

// ---- window.md

func window(words []uint64, hash, blockCount, shape, span uint64) bool {
	state := words[64*blockCount:]
	places := blocked(hash, blockCount, shape)
	for slot := uint64(0); slot < 8; slot++ {
		age := state[1+slot]
		counts := slot == state[0]%8 || age != ^uint64(0) && (span == 0 || age < span)
		for _, place := range places {
			counts = counts && words[place/64*8+slot]>>(place%64)&1 == 1
		}
		if counts {
			return true
		}
	}
	return false
}
