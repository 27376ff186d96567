package main

// hash.md: how a key becomes 64 bits.

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

var secrets = [8]uint64{
	0x2d358dccaa6c78a5, 0x8bb84b93962eacc9, 0x4b33a62ed433d4a3, 0x4d5a2da51de1aa47,
	0xa0761d6478bd642f, 0xe7037ed1a0b428db, 0x90ed1765281c388c, 0xaaaaaaaaaaaaaaaa,
}

func mix(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}

func rapidhash3(data []byte, seed uint64) uint64 {
	eight := func(at int) uint64 { return binary.LittleEndian.Uint64(data[at:]) }
	four := func(at int) uint64 { return uint64(binary.LittleEndian.Uint32(data[at:])) }
	state := seed ^ mix(seed^secrets[2], secrets[1])
	n, at, left := len(data), 0, len(data)
	var a, b uint64
	switch {
	case n > 16:
		if n > 112 {
			lanes := [7]uint64{state, state, state, state, state, state, state}
			for ; left > 112; at, left = at+112, left-112 {
				for i := range lanes {
					lanes[i] = mix(eight(at+16*i)^secrets[i], eight(at+16*i+8)^lanes[i])
				}
			}
			state = 0
			for _, lane := range lanes {
				state ^= lane
			}
		}
		for step := 0; left-16*step > 16; step++ {
			secret := secrets[2]
			if step == 2 || step == 3 || step == 5 {
				secret = secrets[1]
			}
			state = mix(eight(at+16*step)^secret, eight(at+16*step+8)^state)
		}
		a, b = eight(n-16)^uint64(left), eight(n-8)
	case n >= 8:
		a, b, state = eight(0), eight(n-8), state^uint64(n)
	case n >= 4:
		a, b, state = four(0), four(n-4), state^uint64(n)
	case n > 0:
		a, b = uint64(data[0])<<45|uint64(data[n-1]), uint64(data[n>>1])
	}
	high, low := bits.Mul64(a^secrets[1], b^state)
	return mix(low^secrets[7], high^secrets[1]^uint64(left))
}

func splitmix64(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func siphash13(data, secret []byte, seed uint64) uint64 {
	k0, k1 := binary.LittleEndian.Uint64(secret)^seed, binary.LittleEndian.Uint64(secret[8:])
	a, b := k0^0x736f6d6570736575, k1^0x646f72616e646f6d
	c, d := k0^0x6c7967656e657261, k1^0x7465646279746573
	round := func(word uint64) {
		d ^= word
		a, c = a+b, c+d
		b, d = bits.RotateLeft64(b, 13)^a, bits.RotateLeft64(d, 16)^c
		a = bits.RotateLeft64(a, 32)
		c, a = c+b, a+d
		b, d = bits.RotateLeft64(b, 17)^c, bits.RotateLeft64(d, 21)^a
		c = bits.RotateLeft64(c, 32)
		a ^= word
	}
	padded := make([]byte, len(data)/8*8+8)
	copy(padded, data)
	padded[len(padded)-1] = byte(len(data))
	for at := 0; at < len(padded); at += 8 {
		round(binary.LittleEndian.Uint64(padded[at:]))
	}
	c ^= 255
	round(0)
	round(0)
	round(0)
	return a ^ b ^ c ^ d
}

// keyID names the hash of a kind of keys, bytes, int64 or uuid, under a secret or none.
func keyID(kind string, secret []byte) string {
	if secret != nil {
		return fmt.Sprintf("%s:siphash13:%016x", kind, siphash13([]byte("woodbird key fingerprint"), secret, 0))
	}
	if kind == "int64" {
		return kind + ":splitmix64"
	}
	return kind + ":rapidhash3"
}

// keyHash is the hash of a key that is given as text: any text, a whole number in decimal, or a UUID.
func keyHash(kind, text string, seed uint64, secret []byte) (uint64, error) {
	data := []byte(text)
	switch kind {
	case "int64":
		number, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return 0, err
		}
		if secret == nil {
			return splitmix64(uint64(number) + seed), nil
		}
		data = binary.LittleEndian.AppendUint64(nil, uint64(number))
	case "uuid":
		var err error
		data, err = hex.DecodeString(strings.ReplaceAll(text, "-", ""))
		if err != nil || len(data) != 16 {
			return 0, fmt.Errorf("not a UUID: %s", text)
		}
	}
	if secret != nil {
		return siphash13(data, secret, seed), nil
	}
	return rapidhash3(data, seed), nil
}
