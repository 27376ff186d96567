package io.woodbird.cli.verb;

import io.woodbird.CorruptFilterException;
import io.woodbird.FilterStats;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.cli.lines.Source;
import io.woodbird.cli.model.Call;
import io.woodbird.cli.say.ExitCode;
import io.woodbird.cli.say.Failure;
import io.woodbird.cli.say.Problem;
import io.woodbird.cli.say.Progress;
import io.woodbird.cli.say.Units;
import io.woodbird.console.shared.FileHeader;
import io.woodbird.console.shared.IdOnly;
import io.woodbird.console.shared.Json;
import io.woodbird.redis.RedisBloomBuilder;
import io.woodbird.redis.RedisBloomFilter;
import io.woodbird.redis.RedisFilter;
import io.woodbird.redis.RedisFilterException;
import io.woodbird.redis.RedisHealth;
import io.woodbird.redis.RedisRebuild;
import io.woodbird.redis.RedisRecord;
import io.woodbird.redis.RedisRecord.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisException;

/**
 * The actions of {@code redis}: push, pull, swap and status. The name is empty if there is none.
 */
record RedisCalls(Call call, RedisConnection connection, String name) {
  private static final String SCHEMA = "woodbird.redis/1";

  static int run(Call call, String action) throws IOException {
    List<String> words = call.words();
    Path file = action.equals("push") ? Source.pathOf(words.get(1)) : null;
    FileHeader header = file == null ? null : bloomHeader(file);
    Target target = action.equals("pull") ? Target.of(call, null, List.of()) : null;
    String name = words.size() == 1 ? "" : words.get(words.size() - 1);
    if (words.size() > 1 && name.isEmpty()) {
      throw Problem.BAD_VALUE.failure("the name of a filter can't be empty.", "");
    }
    try (RedisConnection connection = RedisConnection.open(call)) {
      RedisCalls calls = new RedisCalls(call, connection, name);
      try {
        if (file != null && header != null) {
          return calls.push(file, header);
        }
        if (target != null) {
          return calls.pull(target);
        }
        return action.equals("swap")
            ? calls.swap()
            : name.isEmpty() ? calls.statusOfAll() : calls.status();
      } catch (RedisFilterException | JedisException e) {
        throw connection.failure(e);
      }
    }
  }

  private static FileHeader bloomHeader(Path file) throws IOException {
    FileHeader header = Filters.header(file);
    if (header.layout() != FileHeader.BLOCKED_BLOOM) {
      throw Problem.WRONG_FAMILY.failure(
          file + " is a " + header.family() + " filter, which can't be stored in Redis.",
          "Redis can hold filters of the family bloom only.",
          "woodbird build --family bloom (from the keys)");
    }
    return header;
  }

  // push

  private int push(Path file, FileHeader header) throws IOException {
    RedisRecord there = connection.redis().find(name).orElse(null);
    boolean merge = call.has("merge");
    if (there == null && merge) {
      throw absent();
    }
    if (Filters.budget(header) > 0) { // Before there is a record of another size.
      throw Problem.WRONG_FAMILY.failure(
          file + " was built for a size, and a filter in Redis is made for an error.",
          "For the error of this file there would be a larger one.",
          "woodbird build -n %s -p %s (from the keys)"
              .formatted(header.expectedKeys(), header.promisedFpp()));
    }
    long began = System.nanoTime();
    try (RedisBloomFilter<ByteBuffer> filter =
            builder(header.keyId(), header.expectedKeys(), header.promisedFpp(), header.seed())
                .createUnbuilt();
        Progress progress = progress(filter, "sending", Files.size(file))) {
      if (merge) {
        requireBuilt(there);
        filter.load(file);
      } else if (filter.rebuild(file, RedisRebuild.usual()).isEmpty()) {
        throw Problem.REDIS.failure(
            "another program is building \"" + name + "\".",
            "Two builds at the same time would undo each other. Nothing was changed.",
            "the same later",
            "woodbird redis status " + name);
      }
      progress.wipe();
    } catch (IncompatibleFilterException e) {
      throw Problem.OTHER_FILTER.failure(
          e,
          file + " does not fit the filter \"" + name + "\" in Redis.",
          String.valueOf(e.getMessage()),
          "woodbird redis push " + file + " OTHER-NAME",
          "woodbird redis pull " + name + " -o f.wbird; woodbird build --like f.wbird ...");
    } catch (CorruptFilterException e) {
      throw Filters.damaged(file, e);
    }
    RedisRecord now = found();
    double seconds = (System.nanoTime() - began) / 1e9;
    if (call.has("json")) {
      call.print(
          report("push", now)
              .put("file", file.toString())
              .put("merged", merge)
              .put("bytes", Files.size(file))
              .put("seconds", seconds));
    } else {
      call.say(
          "%s -> %s at %s  %s generation %d, %s in %s%s",
          file,
          name,
          connection.place(),
          merge ? "added to" : "is",
          now.generation(),
          Units.bytes(Files.size(file)),
          Units.seconds(seconds),
          now.previous() == 0 ? "" : "; 'redis swap' goes back for ten minutes");
    }
    return ExitCode.DONE;
  }

  // pull

  private int pull(Target target) throws IOException {
    RedisRecord record = found();
    requireBuilt(record);
    requireBloom(record);
    try (RedisBloomFilter<ByteBuffer> filter = open(record);
        Progress progress = progress(filter, "reading", filter.sizeInBytes())) {
      target.write(call, filter);
      progress.wipe();
      long bytes = filter.sizeInBytes();
      if (call.has("json")) {
        target.report(call, report("pull", record).put("file", target.name()).put("bytes", bytes));
      } else {
        call.say(
            "%s at %s -> %s  generation %d, %s",
            name, connection.place(), target.name(), record.generation(), Units.bytes(bytes));
      }
    }
    return ExitCode.DONE;
  }

  // swap

  private int swap() throws IOException {
    RedisRecord before = found();
    requireBloom(before);
    try (RedisBloomFilter<ByteBuffer> filter = open(before)) {
      if (!filter.rollBack()) {
        throw Problem.REDIS.failure(
            "\"" + name + "\" has no generation to swap with.",
            before.building() != 0
                ? "Generation " + before.building() + " is being built. Nothing was changed."
                : "It was never built twice, or the ten minutes are over. Nothing was changed.",
            "woodbird redis push FILE " + name);
      }
    }
    RedisRecord now = found();
    if (call.has("json")) {
      call.print(report("swap", now).put("from", before.generation()));
    } else {
      call.say(
          "%s at %s  generation %d answers, instead of %d",
          name, connection.place(), now.generation(), before.generation());
    }
    return ExitCode.DONE;
  }

  // status

  private int statusOfAll() throws IOException {
    List<Json> all = new ArrayList<>();
    for (String each : connection.redis().names()) {
      RedisRecord record = connection.redis().find(each).orElse(null);
      if (record == null) {
        continue; // It was deleted since the names were listed.
      }
      if (call.has("json")) {
        all.add(describe(new Json().put("name", each), record));
      } else {
        call.print(each + "  " + line(record));
      }
    }
    if (call.has("json")) {
      call.print(
          Json.report(SCHEMA)
              .put("action", "status")
              .put("url", connection.place())
              .put("filters", all));
    } else if (connection.redis().names().isEmpty()) {
      call.voice().say("no filter at " + connection.place());
    }
    return ExitCode.DONE;
  }

  private int status() throws IOException {
    RedisRecord record = found();
    RedisHealth health;
    FilterStats stats;
    try (RedisFilter<ByteBuffer> filter =
            connection.redis().open(name, new IdOnly<>(record.keyId()));
        Progress progress = progress(filter, "reading", filter.sizeInBytes())) {
      stats = call.has("count") ? filter.stats() : null;
      health = filter.health();
      progress.wipe();
    }
    boolean whole = !record.hollow() && health.well();
    if (call.has("json")) {
      call.print(json(record, health, stats, whole));
    } else {
      print(record, health, stats, whole);
    }
    return whole ? ExitCode.DONE : Problem.REDIS.exitCode();
  }

  private void print(
      RedisRecord record, RedisHealth health, @Nullable FilterStats stats, boolean whole)
      throws IOException {
    call.print(name + "  at " + connection.place());
    call.line("filter", "%s", line(record));
    call.line(
        "size",
        "%s in %s, %s",
        Units.bytes(health.bytes()),
        Units.count(health.shards(), "shard"),
        health.replicaLagBytes() < 0
            ? "no replica"
            : "replica " + Units.bytes(health.replicaLagBytes()) + " behind");
    if (stats != null) {
      call.line(
          "keys",
          "about %s, error now %s",
          Units.count(stats.estimatedKeys()),
          Units.chance(stats.currentFpp()));
    }
    call.line("hash", "%s, seed %d", record.keyId(), record.seed());
    call.line(
        "state",
        "%s",
        whole
            ? "whole"
            : record.hollow()
                ? "waits for its first build; nothing is \"not here\""
                : "in doubt; nothing is \"not here\"");
    for (String doubt : health.doubts()) {
      call.line("doubt", "%s", doubt);
    }
    for (String risk : health.risks()) {
      call.line("risk", "%s", risk);
    }
  }

  private static String line(RedisRecord record) {
    return kindOf(record)
        + ", "
        + Units.count(record.expectedKeys())
        + (record.kind() == Kind.GROWING ? " keys at first" : " keys planned")
        + ", error "
        + Units.chance(record.fpp())
        + ", generation "
        + record.generation()
        + (record.builtAt() == null
            ? ""
            : " built " + record.builtAt() + " with " + Units.count(record.builtKeys()) + " keys")
        + (record.previous() == 0 ? "" : ", before it " + record.previous())
        + (record.building() == 0 ? "" : ", " + record.building() + " is being built");
  }

  /** The kind of a filter in a few words. */
  private static String kindOf(RedisRecord record) {
    return switch (record.kind()) {
      case BLOOM -> "bloom";
      case COUNTING -> "counting";
      case WINDOW -> "window of " + record.window();
      case GROWING -> "growing";
    };
  }

  private Json json(
      RedisRecord record, RedisHealth health, @Nullable FilterStats stats, boolean whole) {
    Json json =
        report("status", record)
            .put("whole", whole)
            .put("bytes", health.bytes())
            .put("shards", health.shards())
            .put("replicaLagBytes", health.replicaLagBytes() < 0 ? null : health.replicaLagBytes())
            .put("doubts", health.doubts())
            .put("risks", health.risks());
    if (stats != null) {
      json.put("keys", stats.estimatedKeys()).put("fppNow", stats.currentFpp());
    }
    return json;
  }

  private Json report(String action, RedisRecord record) {
    return describe(
        Json.report(SCHEMA).put("action", action).put("url", connection.place()).put("name", name),
        record);
  }

  private static Json describe(Json json, RedisRecord record) {
    return json.put("kind", record.kind().name().toLowerCase(Locale.ROOT))
        .put("window", record.window() == null ? null : record.window().toString())
        .put("generation", record.generation())
        .put("previous", record.previous() == 0 ? null : record.previous())
        .put("building", record.building() == 0 ? null : record.building())
        .put("built", !record.hollow())
        .put("builtKeys", record.builtKeys() < 0 ? null : record.builtKeys())
        .put("builtAt", record.builtAt() == null ? null : record.builtAt().toString())
        .put("capacity", record.expectedKeys())
        .put("fpp", record.fpp())
        .put("keyEncoding", record.keyId())
        .put("seed", Long.toString(record.seed()));
  }

  // What they share

  private RedisRecord found() {
    return connection.redis().find(name).orElseThrow(this::absent);
  }

  private Failure absent() {
    return Problem.REDIS.failure(
        "Redis at " + connection.place() + " has no filter \"" + name + "\".",
        "Key wbird:meta:" + name + " is missing: never pushed, evicted, or another database.",
        "woodbird redis push FILE " + name,
        "woodbird redis status");
  }

  private void requireBuilt(@Nullable RedisRecord record) {
    if (record != null && record.hollow()) {
      throw Problem.REDIS.failure(
          "\"" + name + "\" waits for its first build.",
          "It lacks the keys of its source. As a file it would call them \"not here\".",
          "woodbird redis status " + name);
    }
  }

  private void requireBloom(RedisRecord record) {
    if (record.kind() != Kind.BLOOM) {
      throw Problem.WRONG_FAMILY.failure(
          "\"" + name + "\" is not a bloom filter, but one of the kind " + kindOf(record) + ".",
          "'redis pull' and 'redis swap' are for bloom filters only.",
          "woodbird redis status " + name);
    }
  }

  private RedisBloomFilter<ByteBuffer> open(RedisRecord record) {
    return builder(record.keyId(), record.expectedKeys(), record.fpp(), record.seed()).open();
  }

  private RedisBloomBuilder<ByteBuffer> builder(String keyId, long keys, double fpp, long seed) {
    return connection.redis().bloom(name, new IdOnly<ByteBuffer>(keyId), keys).fpp(fpp).seed(seed);
  }

  private Progress progress(RedisFilter<?> filter, String phase, long total) {
    Progress progress = call.progress();
    progress.phase(phase, "byte");
    if (filter instanceof RedisBloomFilter<?> bloom) {
      bloom.onProgress(done -> progress.at(done, done, total));
    }
    return progress;
  }
}
