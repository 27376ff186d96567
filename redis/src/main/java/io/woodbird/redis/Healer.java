package io.woodbird.redis;

import io.woodbird.redis.RedisEvent.Cause;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Brings a filter back from doubt after a restart, a failover, or older data. */
final class Healer {
  /*
   * A server process that holds whole data knows a script that no other process knows; its number,
   * the token, stands in the header of each shard it vouches for. After a restart or a failover the
   * script is unknown, and nothing is "not here" until the new process may vouch:
   *
   *   1  whoever notices gives the new process a token of its own, and notes it in the record;
   *   2  every writer puts the hashes of its journal again, then checks that it is still the same
   *      process, then says in the record which shards it has seen to;
   *   3  a shard that all writers of the record have seen to, the process may vouch for.
   *
   * A writer is in the record from before its first put, unless its puts are acknowledged by
   * replicas or a disk, and leaves it when it closes and a replica or a disk has all. One that died
   * stays: its last puts may be lost, and nobody knows. Then the filter stays in doubt until it is
   * built anew or somebody decides to trust() it.
   *
   * The record may be as old as the data: then it does not know a writer that came later, and the
   * others vouch without it. So a writer that finds a process it does not know vouching first
   * enters the record again and puts its hashes again. What a shard had lost beyond its journal it
   * knows from the count of puts that the shard came back with, which whoever gives the token
   * notes; then it withdraws the word for all.
   */
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final long PAUSE_NANOS = 50_000_000;

  private final Shared shared;
  private final WriterEntry entry;
  private final ReentrantLock lock = new ReentrantLock();
  private long nextNanos = System.nanoTime();
  private @Nullable Writes writes;

  Healer(Shared shared, WriterEntry entry) {
    this.shared = shared;
    this.entry = entry;
  }

  void setWrites(Writes writes) {
    this.writes = writes;
  }

  static long newToken() {
    return RANDOM.nextLong() | 1; // 0 means doubt.
  }

  /** Loads the script of a new token into the process that owns a key. */
  static @Nullable Object loadToken(Link link, byte[] key, long token) {
    return link.at(
        key, Command.keyless(Command.Name.SCRIPT, "LOAD", Command.text(Script.runText(token))));
  }

  /**
   * Tries to heal, at most every 50 ms and in one thread at a time.
   *
   * @param askedWith the tokens of the shards when they were asked
   * @return whether asking again may help
   */
  boolean heal(Live live, Map<Integer, Trouble> doubts, long[] askedWith) {
    List<Command> withdrawals = new ArrayList<>();
    doubts.forEach(
        (shard, trouble) -> {
          shared.doubts.note(Command.text(live.keys[shard]), trouble);
          if (trouble.cause() == Cause.ROLLED_BACK) {
            withdrawals.add(
                Script.DOUBT.on(
                    live.keys[shard],
                    ShardHeader.bytes(live.identities[shard]),
                    ShardHeader.bytes(askedWith[shard])));
          }
        });
    if (!withdrawals.isEmpty()) {
      shared.link.run(withdrawals, null);
    }
    return heal(live, false);
  }

  /** Heals; with {@code trust}, without asking whether all writers have put their keys again. */
  boolean heal(Live live, boolean trust) {
    if (trust) {
      lock.lock();
    } else if (!lock.tryLock()) {
      return false;
    }
    try {
      if (!trust && System.nanoTime() - nextNanos < 0) {
        return false;
      }
      boolean healed = attempt(live, trust);
      nextNanos = System.nanoTime() + PAUSE_NANOS;
      return healed;
    } catch (RedisFilterException e) {
      nextNanos = System.nanoTime() + PAUSE_NANOS;
      return false;
    } finally {
      lock.unlock();
    }
  }

  private boolean attempt(Live live, boolean trust) {
    Map<Integer, ShardHeader> doubtful = new TreeMap<>();
    Map<Integer, ShardHeader> vouched = new TreeMap<>();
    int seen = scan(live, doubtful, vouched);
    if (!vouched.isEmpty() && !takeOver(live, vouched, trust)) {
      return false;
    }
    if (doubtful.isEmpty()) {
      return true;
    }
    Map<Integer, Long> tokens = tokens(live, doubtful);
    Return back = new Return(shared, live, shared.meta.read(), doubtful, tokens);
    if (tokens.isEmpty() || !putAgain(back, !trust)) {
      return false;
    }
    keepProven(live, tokens);
    boolean vouches = trust || vouches(back, tokens.keySet());
    boolean healed = !tokens.isEmpty();
    for (long token : new TreeSet<>(tokens.values())) {
      List<?> missing = missing(live, tokens, token, vouches);
      if (trust || missing.isEmpty()) {
        vouch(back, token, trust);
      } else {
        healed = false;
        shared.doubts.note(
            Command.text(shared.meta.key),
            new Trouble(
                Trouble.Kind.LINK,
                Cause.RESTARTED,
                "writers that have not put their recent keys again: " + names(missing)));
      }
    }
    if (healed) {
      shared.doubts.well(shared.meta.key);
      if (seen == live.shards() && tokens.size() == doubtful.size()) {
        forgetTheDead(live);
      }
    }
    return healed;
  }

  /** Forgets the processes that came and went while the filter was in doubt. */
  private void forgetTheDead(Live live) {
    StringBuilder inUse = new StringBuilder(",");
    for (int shard = 0; shard < live.shards(); shard++) {
      inUse.append(Script.hex(live.tokens.get(shard))).append(',');
    }
    shared.meta.eval(
        Script.HEALED, "", "0", Long.toString(live.generation.number()), inUse.toString());
  }

  private static List<String> names(List<?> replies) {
    return replies.stream().map(id -> Command.text(Shared.bytes(id))).toList();
  }

  /** Finds the shards that no process vouches for, and those that an unknown one vouches for. */
  private int scan(
      Live live, Map<Integer, ShardHeader> doubtful, Map<Integer, ShardHeader> vouched) {
    List<Command> plain = new ArrayList<>();
    for (int shard = 0; shard < live.shards(); shard++) {
      plain.add(live.plainHeader(shard));
    }
    List<@Nullable Object> replies = shared.link.run(plain, null).all();
    Map<Integer, ShardHeader> found = new TreeMap<>();
    List<Command> proofs = new ArrayList<>();
    for (int shard = 0; shard < live.shards(); shard++) {
      if (Trouble.of(replies.get(shard), live, shard, 0, 0) == null) {
        ShardHeader header = ShardHeader.decode(Shared.bytes(replies.get(shard)));
        found.put(shard, header);
        proofs.add(live.headerBy(header.token(), shard));
      }
    }
    if (proofs.isEmpty()) {
      return 0;
    }
    List<@Nullable Object> proven = shared.link.run(proofs, null).all();
    int at = 0;
    for (Map.Entry<Integer, ShardHeader> entry : found.entrySet()) {
      Object reply = proven.get(at++);
      ShardHeader header = entry.getValue();
      int shard = entry.getKey();
      if (reply instanceof RedisError error) {
        if (error.starts("NOSCRIPT")) {
          doubtful.put(shard, header);
        }
      } else if (header.token() != live.tokens.get(shard)) {
        vouched.put(shard, header);
      }
    }
    return found.size();
  }

  /**
   * Takes over that another process vouches for a shard; true if asking again may help. A client
   * that has put something does so only when it knows that its puts are there.
   */
  boolean takeOver(Live live, int shard, ShardHeader header) {
    if (!hasPuts(live)) {
      live.vouchedAnew(shard, header);
      return true;
    }
    return heal(live, false) && live.tokens.get(shard) == header.token();
  }

  private boolean hasPuts(Live live) {
    if (!shared.journal.isEmpty()) {
      return true;
    }
    for (int shard = 0; shard < live.shards(); shard++) {
      if (live.floors.get(shard) > 0) {
        return true;
      }
    }
    return false;
  }

  private boolean takeOver(Live live, Map<Integer, ShardHeader> vouched, boolean trust) {
    Map<Integer, Long> tokens = new TreeMap<>();
    vouched.forEach((shard, header) -> tokens.put(shard, header.token()));
    boolean hasPuts = hasPuts(live);
    if (hasPuts) {
      entry.enterAgain(live, false);
    }
    Map<String, String> fields = hasPuts ? shared.meta.read() : Map.of();
    Return back = new Return(shared, live, fields, vouched, tokens);
    if (hasPuts) {
      Set<Integer> unsure = new TreeSet<>(tokens.keySet());
      unsure.removeIf(
          shard -> trust || fields.containsKey("trusted:" + Script.hex(token(tokens, shard))));
      if (!vouches(back, unsure)) {
        withdraw(live, vouched);
        return false;
      }
      if (!putAgain(back, !trust)) {
        return false;
      }
    }
    List<Integer> shards = List.copyOf(tokens.keySet());
    List<Command> commands =
        shards.stream().map(shard -> live.headerBy(token(tokens, shard), shard)).toList();
    List<@Nullable Object> replies = shared.link.run(commands, null).all();
    Map<Integer, ShardHeader> proven = new TreeMap<>();
    for (int i = 0; i < shards.size(); i++) {
      int shard = shards.get(i);
      if (Trouble.of(replies.get(i), live, shard, token(tokens, shard), 0) == null) {
        proven.put(shard, ShardHeader.decode(Shared.bytes(replies.get(i))));
      }
    }
    back.accept(proven);
    return proven.size() == shards.size();
  }

  /** Withdraws the word of others for shards that lack what nobody can put again. */
  private void withdraw(Live live, Map<Integer, ShardHeader> vouched) {
    List<Command> commands = new ArrayList<>();
    vouched.forEach(
        (shard, header) -> {
          if (live.beyond.get(shard) == 1) {
            commands.add(
                Script.DOUBT.on(
                    live.keys[shard],
                    ShardHeader.bytes(live.identities[shard]),
                    ShardHeader.bytes(header.token())));
          }
        });
    shared.link.run(commands, null);
  }

  /** Finds the tokens of the processes that hold the shards, or gives them new ones. */
  private Map<Integer, Long> tokens(Live live, Map<Integer, ShardHeader> doubtful) {
    Map<Integer, Long> tokens = new HashMap<>();
    for (String field : new TreeSet<>(shared.meta.read().keySet())) {
      if (field.startsWith("doubt:")) {
        find(live, doubtful, tokens, HexFormat.fromHexDigitsToLong(field.substring(6)));
      }
    }
    for (int shard : doubtful.keySet()) {
      if (!tokens.containsKey(shard)) {
        long token = newToken();
        if (loadToken(shared.link, live.keys[shard], token) instanceof RedisError) {
          continue;
        }
        shared.meta.run(
            Command.of(
                Command.Name.HSET,
                shared.meta.key,
                Command.bytes("doubt:" + Script.hex(token)),
                Command.bytes(live.generation.number())));
        find(live, doubtful, tokens, token);
        noteBase(live, doubtful, tokens, token);
      }
    }
    return tokens;
  }

  /**
   * Notes with how many puts the shards of a process came back. If they were in doubt before, what
   * they lacked then they lack now.
   */
  private void noteBase(
      Live live, Map<Integer, ShardHeader> doubtful, Map<Integer, Long> tokens, long token) {
    Map<String, String> fields = shared.meta.read();
    List<Long> before = new ArrayList<>();
    fields.forEach(
        (field, generation) -> {
          if (field.startsWith("doubt:")
              && generation.equals(Long.toString(live.generation.number()))) {
            before.add(HexFormat.fromHexDigitsToLong(field.substring(6)));
          }
        });
    StringBuilder counts = new StringBuilder(",");
    Set<Long> old = new TreeSet<>();
    doubtful.forEach(
        (shard, header) -> {
          if (token(tokens, shard) == token) {
            long least = header.puts();
            for (long earlier : before) {
              least = Math.min(least, Return.base(fields, earlier, shard, least));
            }
            counts.append(shard).append('=').append(least).append(',');
            old.add(header.token());
          }
        });
    shared.meta.run(
        Command.of(
            Command.Name.HSET,
            shared.meta.key,
            Command.bytes("base:" + Script.hex(token)),
            Command.bytes(counts.toString())));
    for (long replaced : old) {
      shared.meta.run(
          Command.of(
              Command.Name.HDEL,
              shared.meta.key,
              Command.bytes("base:" + Script.hex(replaced)),
              Command.bytes("trusted:" + Script.hex(replaced))));
    }
  }

  /** Notes the shards whose process knows a token. */
  private void find(
      Live live, Map<Integer, ShardHeader> doubtful, Map<Integer, Long> tokens, long token) {
    List<Integer> open = doubtful.keySet().stream().filter(s -> !tokens.containsKey(s)).toList();
    List<Command> commands = open.stream().map(shard -> live.headerBy(token, shard)).toList();
    if (commands.isEmpty()) {
      return;
    }
    List<@Nullable Object> replies = shared.link.run(commands, null).all();
    for (int i = 0; i < open.size(); i++) {
      if (replies.get(i) instanceof byte[]) {
        tokens.put(open.get(i), token);
      }
    }
  }

  private boolean putAgain(Return back, boolean prove) {
    long[] lacking = back.lacking();
    Writes again = writes;
    return again == null || again.replay(back.live, back.wanted(), lacking, prove);
  }

  /** Drops the shards that are not any more where they were. */
  private void keepProven(Live live, Map<Integer, Long> tokens) {
    List<Integer> shards = List.copyOf(tokens.keySet());
    List<Command> commands =
        shards.stream().map(shard -> live.headerBy(token(tokens, shard), shard)).toList();
    List<@Nullable Object> replies = shared.link.run(commands, null).all();
    for (int i = 0; i < shards.size(); i++) {
      if (!(replies.get(i) instanceof byte[])) {
        tokens.remove(shards.get(i));
      }
    }
  }

  private static long token(Map<Integer, Long> tokens, int shard) {
    Long token = tokens.get(shard);
    return token == null ? 0 : token;
  }

  /**
   * Whether everything this writer ever put is in the shards that came back, or can be put again.
   * If not, the record says from then on that this writer is to be waited for.
   */
  private boolean vouches(Return back, Set<Integer> shards) {
    Live live = back.live;
    if (!hasPuts(live)) {
      return true;
    }
    boolean all = true;
    for (int shard : shards) {
      if (!back.canBeMadeWhole(shard)) {
        live.beyond.set(shard, 1);
        shared.doubts.note(
            Command.text(live.keys[shard]),
            new Trouble(
                Trouble.Kind.FOREIGN,
                Cause.ROLLED_BACK,
                Command.text(live.keys[shard])
                    + " may have lost puts of this client that are too old to be put again"));
      }
      all &= live.beyond.get(shard) == 0;
    }
    if (!all) {
      entry.enterAgain(live, true);
    }
    return all;
  }

  private List<?> missing(Live live, Map<Integer, Long> tokens, long token, boolean vouches) {
    StringBuilder shards = new StringBuilder(",");
    tokens.forEach((shard, its) -> shards.append(its == token ? shard + "," : ""));
    Object reply =
        shared.meta.eval(
            Script.HEAL,
            Long.toString(live.generation.number()),
            Script.hex(token),
            shards.toString(),
            vouches ? shared.id : "");
    return reply instanceof List<?> list ? list : List.of(Command.bytes("unknown"));
  }

  private void vouch(Return back, long token, boolean trust) {
    Live live = back.live;
    List<Integer> shards = new ArrayList<>();
    List<Command> commands = new ArrayList<>();
    back.tokens.forEach(
        (shard, itsToken) -> {
          if (itsToken == token) {
            shards.add(shard);
            commands.add(live.vouch(token, shard));
            commands.add(live.headerBy(token, shard));
          }
        });
    List<@Nullable Object> replies = shared.link.run(commands, null).all();
    Map<Integer, ShardHeader> proven = new TreeMap<>();
    for (int i = 0; i < shards.size(); i++) {
      int shard = shards.get(i);
      Object header = replies.get(2 * i + 1);
      if (Trouble.of(header, live, shard, token, 0) == null) {
        proven.put(shard, ShardHeader.decode(Shared.bytes(header)));
      }
    }
    back.accept(proven);
    shared.meta.eval(Script.HEALED, Script.hex(token), trust ? "1" : "0", "", "");
    shared.diagnosis.forget();
  }
}
