package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.classic.Scheme;
import io.woodbird.console.shared.Json;
import io.woodbird.key.Keys;
import io.woodbird.layout.ClassicBloom;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The hash and the positions on the page, compared with Java's: 10,000 keys, six schemes. */
final class ParityTest extends BrowserTest {
  private static final int VECTORS = 10_000;
  private static final List<String> TOYS =
      List.of(
          "hashcode-shift16",
          "hashcode-shift16-int",
          "djb2-sdbm",
          "polynomial-seeds",
          "crc32-shift16");

  @Test
  void page_computesWhatJavaComputes() {
    browser.open(address("play"));
    SplittableRandom random = new SplittableRandom(20261116);
    List<Map<String, Object>> vectors = new ArrayList<>();
    for (int i = 0; i < VECTORS; i++) {
      vectors.add(vector(key(i, random), random));
    }
    Object wrong =
        browser.jsLater(
            """
            const [text, done] = arguments;
            Promise.all([import('./woodbird.mjs'), import('./toys.js')]).then(([hash, toys]) => {
              const wrong = [];
              for (const one of JSON.parse(text)) {
                const found = hash.hashOf(one.key, BigInt(one.seed));
                const positions = hash.positionsOf(found, one.bits, one.hashes);
                let good = found.toString(16) === one.hash && positions.join() === one.positions;
                for (const [name, expected] of Object.entries(one.toys)) {
                  good &&= toys.SCHEMES[name](one.key, one.power, one.toyHashes, 0).join() === expected;
                }
                if (!good) wrong.push(one);
              }
              done(JSON.stringify(wrong.slice(0, 3)) + ' ' + wrong.length);
            }).catch((error) => done(String(error)));
            """,
            Json.write(vectors));
    assertThat(wrong).isEqualTo("[] 0");
  }

  private static Map<String, Object> vector(String key, SplittableRandom random) {
    long seed = random.nextLong();
    long bits = 1 + random.nextLong(random.nextBoolean() ? 256 : 1L << 37);
    int hashes = 1 + random.nextInt(16);
    long power = 1L << (1 + random.nextInt(30));
    int toyHashes = 1 + random.nextInt(7);
    long hash = Keys.strings().hash(key, seed);
    List<String> positions = new ArrayList<>();
    long state = ClassicBloom.first(hash);
    for (int i = 0; i < hashes; i++) {
      positions.add(String.valueOf(ClassicBloom.position(state, bits)));
      state = ClassicBloom.next(state);
    }
    Map<String, String> toys = new LinkedHashMap<>();
    for (String name : TOYS) {
      List<String> found = new ArrayList<>();
      for (long position : Scheme.of(name).positions(key, power, toyHashes)) {
        found.add(String.valueOf(position));
      }
      toys.put(name, String.join(",", found));
    }
    Map<String, Object> vector = new LinkedHashMap<>();
    vector.put("key", key);
    vector.put("seed", String.valueOf(seed));
    vector.put("bits", bits);
    vector.put("hashes", hashes);
    vector.put("hash", Long.toHexString(hash));
    vector.put("positions", String.join(",", positions));
    vector.put("power", power);
    vector.put("toyHashes", toyHashes);
    vector.put("toys", toys);
    return vector;
  }

  /** Every length up to 600, all planes of Unicode, surrogates without a partner, and 1 MiB. */
  private static String key(int i, SplittableRandom random) {
    if (i == 601) {
      return "\u9e1f".repeat(350_000);
    }
    int length = i <= 600 ? i : random.nextInt(40);
    StringBuilder key = new StringBuilder();
    int kind = random.nextInt(4);
    while (key.length() < length) {
      switch (kind) {
        case 0 -> key.append((char) (' ' + random.nextInt(95)));
        case 1 -> key.appendCodePoint(random.nextInt(0xd800));
        case 2 -> key.appendCodePoint(0x10000 + random.nextInt(0x100000));
        default -> key.append((char) random.nextInt(0x10000));
      }
    }
    return key.toString();
  }
}
