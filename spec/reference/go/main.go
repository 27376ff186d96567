// A reader of .wbird files in Go, written from the pages in spec/. Standard library only.
//
//	go run . FOLDER ...       checks the vectors in folders
//	go run . FILE [KEY ...]   asks a file about keys
package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

type answer struct {
	Key, Hash  string
	Put, Maybe bool
	Value      *string
}

type vector struct {
	File, Keys, ID, Seed string
	Secret, Signer       *string
	Expected             uint64
	Fpp                  float64
	Answers              []answer
	Must, Golden, Why    string          // Of damaged files.
	Old, Delta, New      string          // Of patches.
	Bytes                json.RawMessage // Hexadecimal of a hash; a number of a file.
	Integer              json.RawMessage
	Rapidhash3           string
	Splitmix64           string
	Siphash13            string
}

// signer gives the key that the file must be signed by, or nil.
func (one vector) signer() []byte {
	if one.Signer == nil {
		return nil
	}
	return must(hex.DecodeString(*one.Signer))
}

func need(right bool, what string, values ...any) {
	if !right {
		fmt.Printf(what+"\n", values...)
		os.Exit(1)
	}
}

func must[T any](value T, err error) T {
	need(err == nil, "%v", err)
	return value
}

// vectors reads a file of JSON, one object a line. Text that is no UTF-16 becomes what Java makes of it.
func vectors(path string) (found []vector) {
	file := must(os.Open(path))
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var one vector
		err := json.Unmarshal(lines.Bytes(), &one)
		need(err == nil, "%s: %v", path, err)
		found = append(found, one)
	}
	return found
}

func number(text string) uint64 { return must(strconv.ParseUint(text, 16, 64)) }

func checkHashes(listed []vector) {
	secret := must(hex.DecodeString("000102030405060708090a0b0c0d0e0f"))
	for _, one := range listed {
		seed := number(one.Seed)
		if one.Bytes != nil {
			data := must(hex.DecodeString(strings.Trim(string(one.Bytes), `"`)))
			need(rapidhash3(data, seed) == number(one.Rapidhash3), "rapidhash3 of %x", data)
			need(siphash13(data, secret, seed) == number(one.Siphash13), "siphash13 of %x", data)
			continue
		}
		integer := strings.Trim(string(one.Integer), `"`)
		need(must(keyHash("int64", integer, seed, nil)) == number(one.Splitmix64), "splitmix64 of %s", integer)
		need(must(keyHash("int64", integer, seed, secret)) == number(one.Siphash13), "siphash13 of %s", integer)
	}
}

func checkFile(folder string, one vector) {
	kind := map[string]string{"strings": "bytes", "longs": "int64", "uuids": "uuid"}[one.Keys]
	var secret []byte
	if one.Secret != nil {
		secret = must(hex.DecodeString(*one.Secret))
	}
	filter := must(OpenSigned(must(os.ReadFile(filepath.Join(folder, one.File))), one.signer()))
	need(filter.ID == one.ID && filter.ID == keyID(kind, secret), "%s: id %s", one.File, filter.ID)
	need(filter.Seed == number(one.Seed), "%s: seed", one.File)
	need(filter.Expected == one.Expected && filter.Fpp == one.Fpp, "%s: plan", one.File)
	for _, answer := range one.Answers {
		// A lone surrogate is a question mark in a key, and U+FFFD in Go's reading of JSON.
		hash := must(filter.Hash(strings.ReplaceAll(answer.Key, "\ufffd", "?"), secret))
		need(hash == number(answer.Hash), "%s: hash of %q", one.File, answer.Key)
		need(must(filter.Maybe(hash)) == answer.Maybe, "%s: answer to %q", one.File, answer.Key)
		if answer.Value != nil {
			value, here := filter.value(hash)
			text := strconv.FormatUint(value, 10)
			if !here {
				text = "None"
			}
			need(text == *answer.Value, "%s: value of %q", one.File, answer.Key)
		}
	}
}

func checkDamaged(folder string, one vector) {
	golden := filepath.Join(folder, "..", one.Golden)
	for _, whole := range vectors(filepath.Join(filepath.Dir(golden), "index.jsonl")) {
		if whole.File != filepath.Base(golden) {
			continue
		}
		filter, err := OpenSigned(must(os.ReadFile(filepath.Join(folder, one.File))), whole.signer())
		if err != nil {
			need(one.Must != "read", "%s: refused, %v", one.File, err)
			return
		}
		need(one.Must != "refuse", "%s: opened, %s", one.File, one.Why)
		for _, answer := range whole.Answers {
			maybe, err := filter.Maybe(number(answer.Hash))
			right := maybe || !answer.Put && (!answer.Maybe || one.Must == "maybe")
			if one.Must == "read" {
				right = err == nil && maybe == answer.Maybe
			}
			need(right, "%s: answer to %q", one.File, answer.Key)
		}
	}
}

func check(folder string) {
	files := vectors(filepath.Join(folder, "index.jsonl"))
	if files[0].Must != "" {
		for _, one := range files {
			checkDamaged(folder, one)
		}
		fmt.Printf("%d damaged files: all as they should be\n", len(files))
		return
	}
	var hashes []vector
	if listed := filepath.Join(folder, "hashes.jsonl"); must(filepath.Glob(listed)) != nil {
		hashes = vectors(listed)
	}
	checkHashes(hashes)
	answers := 0
	for _, one := range files {
		checkFile(folder, one)
		answers += len(one.Answers)
	}
	if listed := filepath.Join(folder, "patches.jsonl"); must(filepath.Glob(listed)) != nil {
		for _, one := range vectors(listed) {
			read := func(name string) []byte { return must(os.ReadFile(filepath.Join(folder, name))) }
			result := must(Patch(read(one.Old), read(one.Delta)))
			need(bytes.Equal(result, read(one.New)), "%s: makes another file", one.Delta)
		}
	}
	fmt.Printf("%d files, %d answers, %d hashes: all as they should be\n", len(files), answers, 2*len(hashes))
}

func main() {
	need(len(os.Args) > 1, "go run . FOLDER ..., or go run . FILE [KEY ...]")
	if must(os.Stat(os.Args[1])).IsDir() {
		for _, folder := range os.Args[1:] {
			check(folder)
		}
		return
	}
	filter := must(Open(must(os.ReadFile(os.Args[1]))))
	fmt.Printf("layout %d, keys %s, made for %d at fpp %g\n", filter.Layout, filter.ID, filter.Expected, filter.Fpp)
	for _, key := range os.Args[2:] {
		hash := must(filter.Hash(key, nil))
		switch {
		case !must(filter.Maybe(hash)):
			fmt.Println(key + ": not here")
		case filter.Layout == 9:
			value, _ := filter.value(hash)
			fmt.Printf("%s: value %d\n", key, value)
		default:
			fmt.Println(key + ": maybe here")
		}
	}
}
