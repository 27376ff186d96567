package io.woodbird.redis.redisson;

import io.woodbird.Answer;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.classic.ClassicFilter;
import io.woodbird.classic.Scheme;
import io.woodbird.redis.RedisBloomFilter;
import io.woodbird.redis.RedisEvent.Cause;
import io.woodbird.redis.RedisFilterException;
import io.woodbird.redis.WoodbirdRedis;
import io.woodbird.redis.layout.Script;
import io.woodbird.redis.link.ClientAccess;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.Link;
import io.woodbird.redis.link.RedisError;
import io.woodbird.redis.link.Time;
import io.woodbird.redis.proof.Diagnosis;
import io.woodbird.redis.proof.Doubts;
import io.woodbird.redis.proof.Life;
import io.woodbird.redis.proof.Meta;
import io.woodbird.redis.proof.Trouble;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A filter of Redisson's own format, bit for bit, so that services can move from Redisson's {@code
 * RBloomFilter} one at a time: both read and write the same filter.
 *
 * <p>It is no more than that format allows. Its positions depend on each other, so that its real
 * fpp is above its promise: 1.22 % where 1 % is promised, 0.035 % where 0.01 % is. It is on one
 * node, with at most 2^32 - 2 bits. And it has no header: parameters that changed, bits that are
 * gone or became fewer bytes, and a server that is no master or another than when the filter was
 * opened (after a failover or a restart it may lack bits) are noticed, and answered {@link
 * Answer#UNKNOWN}; bits that were lost and then written again by a blind write of Redisson can't be
 * told from others, nor what was lost before the filter was opened.
 *
 * <p>It can't be turned into a filter of this library, as bits do not tell keys: {@link #migrate}
 * needs the keys again.
 *
 * @param <K> the type of the keys
 */
public final class RedissonFilter<K> {
  private static final Scheme SCHEME = Scheme.of("redisson");

  /** Keys per script: the server stands still for less than a millisecond. */
  private static final int CHUNK = 100;

  /** Keys per round trip. */
  private static final int ASKED_AT_ONCE = 1000;

  private final Link link;
  private final Time time;
  private final String name;
  private final RedissonKeys<K> keys;
  private final byte[] bitsKey;
  private final byte[] configKey;
  private final long bits;
  private final int hashes;
  private final double promisedFpp;
  private final Doubts doubts;

  /** The most bytes that the bits are known to have had: a put into fewer would hide a loss. */
  private final AtomicLong longest = new AtomicLong();

  /** The life of the server when the filter was opened; in another one bits may be missing. */
  private final long life;

  /**
   * Opens a filter that Redisson made.
   *
   * @param <K> the type of the keys
   * @param redis the way to the server
   * @param name of the filter, as Redisson has it
   * @param keys how Redisson's codec encodes the keys
   * @return the filter
   * @throws RedisFilterException if there is none
   */
  public static <K> RedissonFilter<K> open(WoodbirdRedis redis, String name, RedissonKeys<K> keys) {
    return new RedissonFilter<>(redis.access(), name, keys, 0, 0);
  }

  /**
   * Opens a filter of Redisson's format, or makes it as Redisson would.
   *
   * @param <K> the type of the keys
   * @param redis the way to the server
   * @param name of the filter, as Redisson will have it
   * @param keys how Redisson's codec encodes the keys
   * @param expectedKeys how many keys are planned
   * @param fpp what Redisson calls the false probability
   * @return the filter
   * @throws IncompatibleFilterException if there is one with other parameters; the message shows
   *     both
   */
  public static <K> RedissonFilter<K> create(
      WoodbirdRedis redis, String name, RedissonKeys<K> keys, long expectedKeys, double fpp) {
    if (expectedKeys <= 0) {
      throw new IllegalArgumentException("expectedKeys must be positive: " + expectedKeys);
    }
    return new RedissonFilter<>(redis.access(), name, keys, expectedKeys, fpp);
  }

  private RedissonFilter(
      ClientAccess redis, String name, RedissonKeys<K> keys, long expectedKeys, double fpp) {
    this.link = redis.link();
    this.time = redis.time();
    this.name = Objects.requireNonNull(name, "name");
    this.keys = Objects.requireNonNull(keys, "keys");
    this.bitsKey = Command.bytes(name);
    this.configKey = Command.bytes(name.contains("{") ? name + ":config" : "{" + name + "}:config");
    this.doubts = new Doubts(name, redis.listener(), new Diagnosis(link));
    if (expectedKeys > 0) {
      make(expectedKeys, fpp);
    }
    Link.Replies opened =
        link.run(
            List.of(
                Command.of(Command.Name.HGETALL, configKey),
                Command.of(Command.Name.STRLEN, bitsKey)),
            List.of(Life.ASK));
    this.life = Life.of(checked(opened.after().get(0).get(0))).id();
    Map<String, String> config = Meta.fields(checked(opened.all().get(0)));
    longest.set(checked(opened.all().get(1)) instanceof Long bytes ? bytes : 0);
    if (life == 0) {
      throw new RedisFilterException(Cause.REFUSED, name + " is on a server that is not a master");
    }
    if (!config.containsKey("size") || !config.containsKey("hashIterations")) {
      throw new RedisFilterException(
          Cause.DELETED, "there is no filter of Redisson's under the name " + name);
    }
    this.bits = Long.parseLong(config.getOrDefault("size", ""));
    this.hashes = Integer.parseInt(config.getOrDefault("hashIterations", ""));
    this.promisedFpp = Double.parseDouble(config.getOrDefault("falseProbability", "NaN"));
    if (expectedKeys > 0) {
      long wanted = SCHEME.bitsFor(expectedKeys, fpp);
      if (wanted != bits || SCHEME.hashesFor(expectedKeys, wanted) != hashes) {
        throw new IncompatibleFilterException(
            String.format(
                Locale.ROOT,
                "the filter %s has other parameters%n  in Redis:  %d bits, %d hashes, fpp %s%n"
                    + "  wanted:    %d bits, %d hashes, fpp %s",
                name,
                bits,
                hashes,
                promisedFpp,
                wanted,
                SCHEME.hashesFor(expectedKeys, wanted),
                fpp));
      }
    }
    doubts.tell(
        Cause.RISK,
        "a filter of Redisson's format: its real fpp is above the promised "
            + promisedFpp
            + ", and lost bits can't always be noticed");
  }

  private void make(long expectedKeys, double fpp) {
    long size = SCHEME.bitsFor(expectedKeys, fpp);
    SCHEME.filterOf(Math.min(size, 64), 1); // Checks the parameters of tiny and of no filters.
    Object made =
        run(
            Script.REDISSON_MAKE.on(
                bitsKey, configKey, size, SCHEME.hashesFor(expectedKeys, size), expectedKeys, fpp));
    if (made instanceof byte[] word && Command.text(word).equals("bits")) {
      throw new RedisFilterException(
          Cause.OVERWRITTEN, name + " holds something, but there is no config for it");
    }
  }

  /** Takes note of how many bytes there are. */
  private void saw(long bytes) {
    longest.accumulateAndGet(bytes, Math::max);
  }

  private @Nullable Object run(Command command) {
    return checked(link.run(command));
  }

  private @Nullable Object checked(@Nullable Object reply) {
    if (reply instanceof RedisError error) {
      throw Trouble.of(error, name).failure("a filter of Redisson's format");
    }
    return reply;
  }

  /** {@return the size in bits} */
  public long bits() {
    return bits;
  }

  /** {@return how many bits a key sets} */
  public int hashes() {
    return hashes;
  }

  /**
   * Asks about a key.
   *
   * @param key the key
   * @return the answer
   */
  public Answer ask(K key) {
    return ask(List.of(key)).get(0);
  }

  /**
   * Returns false if the key is certainly not here, true in every other case.
   *
   * @param key the key
   * @return whether the key may be here
   */
  public boolean mightContain(K key) {
    return ask(key) != Answer.NOT_HERE;
  }

  /**
   * Returns the keys that may be here, asking in few round trips.
   *
   * @param all the keys to ask about
   * @return those that are not certainly absent, in order
   */
  public List<K> candidates(Collection<? extends K> all) {
    List<K> list = new ArrayList<>(all);
    List<K> found = new ArrayList<>();
    for (int from = 0; from < list.size(); from += ASKED_AT_ONCE) {
      List<K> part = list.subList(from, Math.min(list.size(), from + ASKED_AT_ONCE));
      List<Answer> answers = ask(part);
      for (int i = 0; i < part.size(); i++) {
        if (answers.get(i) != Answer.NOT_HERE) {
          found.add(part.get(i));
        }
      }
    }
    return found;
  }

  /** Reads the bits of all keys, and after them what proves them, in one round trip. */
  private List<Answer> ask(List<? extends K> part) {
    List<Command> commands = new ArrayList<>(part.size() + 2);
    for (K key : part) {
      List<Object> words = new ArrayList<>(List.of(bitsKey));
      for (long position : positions(key)) {
        words.addAll(List.of("GET", "u1", position));
      }
      commands.add(Command.of(Command.Name.BITFIELD_RO, words.toArray()));
    }
    long before = longest.get();
    commands.add(Command.of(Command.Name.STRLEN, bitsKey));
    commands.add(Command.of(Command.Name.HGETALL, configKey));
    Link.Replies both = link.run(commands, List.of(Life.ASK));
    List<@Nullable Object> replies = both.all();
    Trouble trouble = trouble(replies.get(part.size()), replies.get(part.size() + 1), before);
    if (trouble == null && !isSameLife(both.after().get(part.size()))) {
      trouble =
          new Trouble(
              Trouble.Kind.DOUBT,
              Cause.RESTARTED,
              name
                  + " is on a server that was restarted, demoted or promoted since the filter was"
                  + " opened: puts may be missing. Open it again if you know that none is");
    }
    if (trouble == null) {
      doubts.well(bitsKey);
    } else {
      doubts.note(name, trouble);
    }
    List<Answer> answers = new ArrayList<>(part.size());
    for (int i = 0; i < part.size(); i++) {
      answers.add(trouble == null ? answer(replies.get(i)) : Answer.UNKNOWN);
    }
    return answers;
  }

  private static Answer answer(@Nullable Object reply) {
    if (!(reply instanceof List<?> old) || old.isEmpty()) {
      return Answer.UNKNOWN;
    }
    boolean clear = false;
    for (Object bit : old) {
      if (!(bit instanceof Long value)) {
        return Answer.UNKNOWN;
      }
      clear |= value == 0;
    }
    return clear ? Answer.NOT_HERE : Answer.MAYBE_HERE;
  }

  private @Nullable Trouble trouble(@Nullable Object length, @Nullable Object config, long before) {
    if ((length instanceof RedisError ? length : config) instanceof RedisError error) {
      return Trouble.of(error, name);
    }
    if (!sameConfig(Meta.fields(config))) {
      return new Trouble(
          Trouble.Kind.FOREIGN,
          Cause.OTHER_PARAMETERS,
          "the config of " + name + " is gone or has changed");
    }
    if (!(length instanceof Long bytes) || bytes == 0 || bytes < before) {
      return Trouble.gone(
          before == 0
              ? name + " has no bits: nothing was ever put, or all is lost"
              : name + " is gone or has fewer bytes than before");
    }
    saw(bytes);
    return null;
  }

  private boolean sameConfig(Map<String, String> config) {
    return Long.toString(bits).equals(config.get("size"))
        && Integer.toString(hashes).equals(config.get("hashIterations"));
  }

  private long[] positions(K key) {
    return SCHEME.positions(keys.encode(Objects.requireNonNull(key, "key")), bits, hashes);
  }

  /**
   * Puts a key.
   *
   * @param key the key
   * @return true if the key was certainly new
   * @throws RedisFilterException if it is not known to be in
   */
  public boolean put(K key) {
    return putAll(List.of(key)) == 1;
  }

  /**
   * Puts keys.
   *
   * @param all the keys
   * @return how many of them were certainly new
   * @throws RedisFilterException if they are not all known to be in
   */
  public long putAll(Collection<? extends K> all) {
    List<K> list = new ArrayList<>(all);
    long fresh = 0;
    for (int from = 0; from < list.size(); from += ASKED_AT_ONCE) {
      fresh += putAtOnce(list.subList(from, Math.min(list.size(), from + ASKED_AT_ONCE)));
    }
    return fresh;
  }

  private long putAtOnce(List<K> part) {
    List<Command> commands = new ArrayList<>();
    long fresh = 0;
    long last = 0;
    for (int from = 0; from < part.size(); from += CHUNK) {
      List<Object> words =
          new ArrayList<>(List.of(bitsKey, configKey, bits, hashes, longest.get()));
      for (K key : part.subList(from, Math.min(part.size(), from + CHUNK))) {
        for (long position : positions(key)) {
          words.add(Command.bytes(position));
          last = Math.max(last, position);
        }
      }
      commands.add(Script.REDISSON_PUT.on(words.toArray()));
    }
    Link.Replies replies = link.run(commands, List.of(Life.ASK));
    for (int i = 0; i < commands.size(); i++) {
      long ones = done(replies.all().get(i)).chars().filter(c -> c == '1').count();
      // In another life bits may be missing: then a bit that was clear proves nothing.
      fresh += isSameLife(replies.after().get(i)) ? ones : 0;
    }
    saw(last / 8 + 1);
    return fresh;
  }

  private boolean isSameLife(List<@Nullable Object> after) {
    return Life.of(after.get(0)).id() == life;
  }

  private String done(@Nullable Object reply) {
    String word = checked(reply) instanceof byte[] bytes ? Command.text(bytes) : "" + reply;
    if (word.equals("config")) {
      throw new RedisFilterException(
          Cause.OTHER_PARAMETERS, "the config of " + name + " is gone or has changed");
    }
    if (word.equals("gone")) {
      throw new RedisFilterException(
          Cause.DELETED, name + " is gone or has fewer bytes than before");
    }
    return word;
  }

  /**
   * Puts many keys at once: sets the bits on the heap, and sends them all.
   *
   * @param all the keys
   * @throws RedisFilterException if they are not known to be in
   */
  public void load(Iterator<? extends K> all) {
    ClassicFilter heap = SCHEME.filterOf(bits, hashes);
    while (all.hasNext()) {
      heap.put(keys.encode(Objects.requireNonNull(all.next(), "key")));
    }
    // In the slot of the filter, whether or not its name has braces.
    String temporary =
        (name.contains("{") ? name : "{" + name + "}") + ":load:" + Script.hex(time.random());
    byte[] value = ClassicFilter.toRedisson(heap);
    run(Command.of(Command.Name.SET, temporary, value, "PX", 60_000));
    done(run(Script.REDISSON_LOAD.on(bitsKey, configKey, bits, hashes, longest.get(), temporary)));
    saw(value.length);
  }

  /**
   * Fills a filter of this library with the keys that are here. A filter does not know its keys, so
   * they must come from where they are kept; those that are certainly not here are left out.
   *
   * @param all the keys
   * @param target takes them
   * @return how many it took
   */
  public long migrate(Iterator<? extends K> all, RedisBloomFilter<K> target) {
    long taken = 0;
    List<K> part = new ArrayList<>();
    while (all.hasNext()) {
      part.add(all.next());
      if (part.size() == ASKED_AT_ONCE || !all.hasNext()) {
        List<K> here = candidates(part);
        target.putAll(here);
        taken += here.size();
        part.clear();
      }
    }
    return taken;
  }

  /** Says name, size and promise. */
  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "Redisson filter %s: %,d bits, %d hashes, fpp %s",
        name,
        bits,
        hashes,
        promisedFpp);
  }
}
