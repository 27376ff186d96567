package io.woodbird.testkit;

import io.woodbird.FilterStats;
import io.woodbird.key.KeyHasher;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

/** The ways to be wrong that a contract must notice, each with the tests that must fail. */
enum Fault {
  NONE,

  /** Sets bits by reading, changing and writing a word: what two threads do at once is lost. */
  LOSES_BITS_IN_RACES("put_fromManyThreadsIntoTheSameWordsLosesNoKey") {
    @Override
    <K> ToyFilter<K> make(KeyHasher<K> keys, long expectedKeys, double fpp, long seed) {
      return new RacyFilters.LosesBits<>(keys, expectedKeys, fpp, seed);
    }
  },

  /** Asks, then puts: two threads may both hear that a key is new. */
  TELLS_TWO_THREADS("put_tellsAtMostOneOfManyThreadsThatAKeyWasNew") {
    @Override
    <K> ToyFilter<K> make(KeyHasher<K> keys, long expectedKeys, double fpp, long seed) {
      return new RacyFilters.TellsTwoThreads<>(keys, expectedKeys, fpp, seed);
    }
  },

  /** Forgets one key in two thousand. */
  FORGETS_A_KEY(
      "everyKeyThatIsInIsMaybeHere",
      "put_isNeverForgotten",
      "put_fromManyThreadsLosesNoKey",
      "aKeyWhosePutIsKnownToHaveReturnedIsHereInEveryThread") {
    @Override
    <K> ToyFilter<K> make(KeyHasher<K> keys, long expectedKeys, double fpp, long seed) {
      return new ToyFilter<>(keys, expectedKeys, fpp, seed) {
        @Override
        public boolean putHash(long hash) {
          return Long.remainderUnsigned(hash, 2000) == 0 || super.putHash(hash);
        }
      };
    }
  },

  /** Takes the key 0 for no key. */
  IGNORES_A_CORNER("everyKeyIsAKey") {
    @Override
    <K> ToyFilter<K> make(KeyHasher<K> keys, long expectedKeys, double fpp, long seed) {
      return new ToyFilter<>(keys, expectedKeys, fpp, seed) {
        @Override
        public boolean put(K key) {
          return !key.equals(0L) && super.put(key);
        }
      };
    }
  },

  ALWAYS_SAYS_NEW("put_isTrueExactlyWhenTheKeyWasNotHere", "put_ofTheSameKeyAgainIsFalse") {
    @Override
    <K> ToyFilter<K> make(KeyHasher<K> keys, long expectedKeys, double fpp, long seed) {
      return new ToyFilter<>(keys, expectedKeys, fpp, seed) {
        @Override
        public boolean putHash(long hash) {
          super.putHash(hash);
          return true;
        }
      };
    }
  },

  HASHES_TWICE("putHash_isPutOfTheKeyWithTheHash") {
    @Override
    <K> ToyFilter<K> make(KeyHasher<K> keys, long expectedKeys, double fpp, long seed) {
      return new ToyFilter<>(keys, expectedKeys, fpp, seed) {
        @Override
        public boolean put(K key) {
          return putHash(hashOf(key) * 3);
        }
      };
    }
  },

  PUTS_ALL_HASHES_WHATEVER_THE_COUNT(
      "putHashes_isPutOfEachOfThem", "putHashes_refuseACountOutOfRangeAndChangeNothing") {
    @Override
    <K> ToyFilter<K> make(KeyHasher<K> keys, long expectedKeys, double fpp, long seed) {
      return new ToyFilter<>(keys, expectedKeys, fpp, seed) {
        @Override
        public int putHashes(long[] hashes, int count) {
          return super.putHashes(hashes, hashes.length);
        }
      };
    }
  },

  HASHES_LONGS_OTHERWISE("aLongIsPutAndAskedWithoutBoxingOrRefused") {
    @Override
    <K> ToyFilter<K> make(KeyHasher<K> keys, long expectedKeys, double fpp, long seed) {
      return new ToyFilter<>(keys, expectedKeys, fpp, seed) {
        @Override
        public long hashOfLong(long key) {
          return key;
        }
      };
    }
  },

  COUNTS_A_BATCH_WRONG("putAll_returnsHowManyWereCertainlyNew") {
    @Override
    <K> ToyFilter<K> make(KeyHasher<K> keys, long expectedKeys, double fpp, long seed) {
      return new ToyFilter<>(keys, expectedKeys, fpp, seed) {
        @Override
        public long putAll(Collection<? extends K> all) {
          super.putAll(all);
          return all.size();
        }
      };
    }
  },

  IGNORES_NULL(
      "put_ofNullIsRefusedAndChangesNothing",
      "remove_ofNullIsRefusedAndChangesNothing",
      "nullIsRefusedAtOnce") {
    @Override
    <K> ToyFilter<K> make(KeyHasher<K> keys, long expectedKeys, double fpp, long seed) {
      return new ToyFilter<>(keys, expectedKeys, fpp, seed) {
        @Override
        public long hashOf(K key) {
          return key == null ? 0 : super.hashOf(key);
        }
      };
    }
  },

  PUTS_HALF_A_BATCH("put_ofNullIsRefusedAndChangesNothing") {
    @Override
    <K> ToyFilter<K> make(KeyHasher<K> keys, long expectedKeys, double fpp, long seed) {
      return new ToyFilter<>(keys, expectedKeys, fpp, seed) {
        @Override
        public long putAll(Collection<? extends K> all) {
          return all.stream().filter(this::put).count();
        }
      };
    }
  },

  SAYS_MAYBE_TOO_OFTEN("fpp_isAtMostThePromisedOne", "aNewFilterIsEmpty") {
    @Override
    <K> ToyFilter<K> make(KeyHasher<K> keys, long expectedKeys, double fpp, long seed) {
      return new ToyFilter<>(keys, expectedKeys, fpp, seed) {
        @Override
        public boolean mightContainHash(long hash) {
          return Long.remainderUnsigned(hash, 80) == 0 || super.mightContainHash(hash);
        }
      };
    }
  },

  REVERSES_CANDIDATES(
      "candidates_areInTheOrderOfTheQuestionAndAsOftenAsAsked", "everyWayToAskGivesTheSameAnswer") {
    @Override
    <K> ToyFilter<K> make(KeyHasher<K> keys, long expectedKeys, double fpp, long seed) {
      return new ToyFilter<>(keys, expectedKeys, fpp, seed) {
        @Override
        public List<K> candidates(Collection<? extends K> all) {
          List<K> found = new ArrayList<>(super.candidates(all));
          Collections.reverse(found);
          return found;
        }
      };
    }
  },

  WRITES_PAST_THE_COUNT("candidates_readAndWriteNothingPastTheCount") {
    @Override
    <K> ToyFilter<K> make(KeyHasher<K> keys, long expectedKeys, double fpp, long seed) {
      return new ToyFilter<>(keys, expectedKeys, fpp, seed) {
        @Override
        public int candidates(long[] hashes, int count, int[] selected) {
          int kept = super.candidates(hashes, count, selected);
          if (count < selected.length) {
            selected[count] = 0;
          }
          return kept;
        }
      };
    }
  },

  REFUSES_AN_EMPTY_QUESTION("candidates_ofNothingAreNothing") {
    @Override
    <K> ToyFilter<K> make(KeyHasher<K> keys, long expectedKeys, double fpp, long seed) {
      return new ToyFilter<>(keys, expectedKeys, fpp, seed) {
        @Override
        public List<K> candidates(Collection<? extends K> all) {
          if (all.isEmpty()) {
            throw new IllegalArgumentException("empty");
          }
          return super.candidates(all);
        }
      };
    }
  },

  TAKES_ANY_COUNT("candidates_refuseACountOutOfRange") {
    @Override
    <K> ToyFilter<K> make(KeyHasher<K> keys, long expectedKeys, double fpp, long seed) {
      return new ToyFilter<>(keys, expectedKeys, fpp, seed) {
        @Override
        public int candidates(long[] hashes, int count, int[] selected) {
          int most = Math.min(hashes.length, selected.length);
          return super.candidates(hashes, Math.max(0, Math.min(count, most)), selected);
        }
      };
    }
  },

  IGNORES_THE_SEED("hashOf_isTheHashUnderTheSeedOfTheFilter") {
    @Override
    <K> ToyFilter<K> make(KeyHasher<K> keys, long expectedKeys, double fpp, long seed) {
      return new ToyFilter<>(keys, expectedKeys, fpp, 0);
    }
  },

  WRITES_ITS_HISTORY("theBytesDependOnTheKeysAndTheSeedAlone", "put_fromManyThreadsLosesNoKey") {
    @Override
    <K> ToyFilter<K> make(KeyHasher<K> keys, long expectedKeys, double fpp, long seed) {
      return new ToyFilter<>(keys, expectedKeys, fpp, seed) {
        private long history;

        @Override
        public synchronized boolean putHash(long hash) {
          history = 31 * history + hash;
          return super.putHash(hash);
        }

        @Override
        public long sizeInBytes() {
          return super.sizeInBytes() + 1;
        }

        @Override
        public synchronized void writeTo(OutputStream out) throws IOException {
          super.writeTo(out);
          out.write((int) history);
        }
      };
    }
  },

  SAYS_ANOTHER_SIZE("save_andWriteToGiveTheSameBytes", "writeTo_leavesTheStreamOpen") {
    @Override
    <K> ToyFilter<K> make(KeyHasher<K> keys, long expectedKeys, double fpp, long seed) {
      return new ToyFilter<>(keys, expectedKeys, fpp, seed) {
        @Override
        public long sizeInBytes() {
          return super.sizeInBytes() + 1;
        }
      };
    }
  },

  LEAVES_FILES_BEHIND("save_andWriteToGiveTheSameBytes", "save_thatFailsLeavesEverythingAsItWas") {
    @Override
    <K> ToyFilter<K> make(KeyHasher<K> keys, long expectedKeys, double fpp, long seed) {
      return new ToyFilter<>(keys, expectedKeys, fpp, seed) {
        @Override
        public void save(Path path) throws IOException {
          super.save(path.resolveSibling("temporary"));
          super.save(path);
        }
      };
    }
  },

  CLOSES_THE_STREAM("writeTo_leavesTheStreamOpen") {
    @Override
    <K> ToyFilter<K> make(KeyHasher<K> keys, long expectedKeys, double fpp, long seed) {
      return new ToyFilter<>(keys, expectedKeys, fpp, seed) {
        @Override
        public synchronized void writeTo(OutputStream out) throws IOException {
          super.writeTo(out);
          out.close();
        }
      };
    }
  },

  LEARNS_FROM_QUESTIONS("questionsChangeNothing") {
    @Override
    <K> ToyFilter<K> make(KeyHasher<K> keys, long expectedKeys, double fpp, long seed) {
      return new ToyFilter<>(keys, expectedKeys, fpp, seed) {
        @Override
        public synchronized boolean mightContainHash(long hash) {
          boolean here = super.mightContainHash(hash);
          super.putHash(hash);
          return here;
        }
      };
    }
  },

  ESTIMATES_WRONG("estimatedKeys_followsTheNumberOfKeys", "stats_sayWhatTheFilterIs") {
    @Override
    <K> ToyFilter<K> make(KeyHasher<K> keys, long expectedKeys, double fpp, long seed) {
      return new ToyFilter<>(keys, expectedKeys, fpp, seed) {
        @Override
        public FilterStats stats() {
          FilterStats right = super.stats();
          return new FilterStats(
              right.layout(),
              right.bits(),
              right.expectedKeys(),
              right.estimatedKeys() * 11 / 10,
              right.fill(),
              right.promisedFpp(),
              right.currentFpp(),
              right.doubts());
        }
      };
    }
  },

  SAYS_NOTHING_OF_ITSELF("toString_saysLayoutBitsKeysAndFpp") {
    @Override
    <K> ToyFilter<K> make(KeyHasher<K> keys, long expectedKeys, double fpp, long seed) {
      return new ToyFilter<>(keys, expectedKeys, fpp, seed) {
        @Override
        public String toString() {
          return "filter";
        }
      };
    }
  },

  REMOVES_ALL_COPIES(
      "aKeyPutTwiceIsHereUntilItWasRemovedTwice", "everyHistoryAgreesWithACountingMap") {
    @Override
    <K> ToyFilter<K> make(KeyHasher<K> keys, long expectedKeys, double fpp, long seed) {
      return new ToyFilter<>(keys, expectedKeys, fpp, seed) {
        @Override
        public synchronized boolean removeHash(long hash) {
          return counts.remove(hash) != null;
        }
      };
    }
  },

  REMOVES_NOTHING("remove_undoesPut", "aKeyPutTwiceIsHereUntilItWasRemovedTwice") {
    @Override
    <K> ToyFilter<K> make(KeyHasher<K> keys, long expectedKeys, double fpp, long seed) {
      return new ToyFilter<>(keys, expectedKeys, fpp, seed) {
        @Override
        public boolean removeHash(long hash) {
          return mightContainHash(hash);
        }
      };
    }
  },

  REMOVES_WHAT_IS_NOT_THERE(
      "remove_ofAKeyThatIsNotHereIsFalseAndChangesNothing",
      "aKeyPutTwiceIsHereUntilItWasRemovedTwice",
      "removeHash_isRemoveOfTheKeyWithTheHash") {
    @Override
    <K> ToyFilter<K> make(KeyHasher<K> keys, long expectedKeys, double fpp, long seed) {
      return new ToyFilter<>(keys, expectedKeys, fpp, seed) {
        @Override
        public boolean removeHash(long hash) {
          super.removeHash(hash);
          return true;
        }
      };
    }
  },

  REMOVES_ANOTHER_KEY(
      "remove_undoesPut",
      "everyHistoryAgreesWithACountingMap",
      "remove_inManyThreadsTakesNoOtherKeyAway") {
    @Override
    <K> ToyFilter<K> make(KeyHasher<K> keys, long expectedKeys, double fpp, long seed) {
      return new ToyFilter<>(keys, expectedKeys, fpp, seed) {
        @Override
        public synchronized boolean removeHash(long hash) {
          if (super.removeHash(hash)) {
            counts.remove(counts.keySet().stream().findFirst().orElse(hash));
            return true;
          }
          return false;
        }
      };
    }
  };

  private final List<String> caughtBy;

  Fault(String... caughtBy) {
    this.caughtBy = List.of(caughtBy);
  }

  /** The tests that must fail. */
  List<String> caughtBy() {
    return caughtBy;
  }

  <K> ToyFilter<K> make(KeyHasher<K> keys, long expectedKeys, double fpp, long seed) {
    return new ToyFilter<>(keys, expectedKeys, fpp, seed);
  }
}
