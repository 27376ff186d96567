package io.woodbird.redis;

import java.util.HashMap;
import java.util.Map;

/** Shards that came back, each with a count of puts, and what of the journal they may lack. */
final class Return {
  final Live live;

  /** The tokens of the processes that hold them now. */
  final Map<Integer, Long> tokens;

  private final PutJournal journal;
  private final Doubts doubts;
  private final Map<Integer, Long> bases = new HashMap<>();
  private final Map<Integer, Long> places = new HashMap<>();
  private long end;

  /**
   * Looks up what they came back with.
   *
   * @param fields the record
   * @param headers as they are now
   * @param tokens may lose shards later
   */
  Return(
      Shared shared,
      Live live,
      Map<String, String> fields,
      Map<Integer, ShardHeader> headers,
      Map<Integer, Long> tokens) {
    this.live = live;
    this.tokens = tokens;
    this.journal = shared.journal;
    this.doubts = shared.doubts;
    tokens.forEach(
        (shard, token) -> {
          ShardHeader header = headers.get(shard);
          long base = base(fields, token, shard, header == null ? 0 : header.puts());
          bases.put(shard, base);
          places.put(shard, journal.from(shard, base));
        });
  }

  /** The puts that a shard came back with, or that it has now if nobody has noted it. */
  static long base(Map<String, String> fields, long token, int shard, long now) {
    String counts = fields.getOrDefault("base:" + Script.hex(token), "");
    int at = counts.indexOf("," + shard + "=");
    if (at < 0) {
      return now;
    }
    int from = counts.indexOf('=', at) + 1;
    return Math.min(now, Long.parseLong(counts.substring(from, counts.indexOf(',', from))));
  }

  /** The hashes that some of them may lack. */
  long[] lacking() {
    long from = places.values().stream().mapToLong(Long::longValue).min().orElse(0);
    PutJournal.Part part = journal.since(from);
    end = part.end();
    return part.hashes();
  }

  /** Which of all shards they are. */
  boolean[] wanted() {
    boolean[] wanted = new boolean[live.shards()];
    tokens.keySet().forEach(shard -> wanted[shard] = true);
    return wanted;
  }

  /** Whether all that this client ever put into a shard is there or in the journal. */
  boolean canBeMadeWhole(int shard) {
    return bases.getOrDefault(shard, 0L) >= live.floors.get(shard)
        && journal.reaches(places.getOrDefault(shard, 0L));
  }

  /** Takes over that processes vouch for shards, which have all that they lacked. */
  void accept(Map<Integer, ShardHeader> headers) {
    Map<Integer, Long> puts = new HashMap<>();
    headers.forEach(
        (shard, header) -> {
          live.vouchedAnew(shard, header);
          live.beyond.set(shard, 0);
          live.floors.accumulateAndGet(shard, header.puts(), Math::min);
          doubts.well(live.keys[shard]);
          puts.put(shard, header.puts());
        });
    Map<Integer, Long> accepted = new HashMap<>(bases);
    accepted.keySet().retainAll(headers.keySet());
    journal.restored(end, live.shards(), accepted, puts);
  }
}
