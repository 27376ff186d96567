package io.woodbird.redis.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.testkit.RedisServer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The model of Redis against a real server. */
@Timeout(300)
class ModelTest {
  private static final int COMMANDS = Integer.getInteger("woodbird.model.commands", 3000);

  private static final String[] KEYS = {"a", "b", "c", "h", "g", "x", "y"};
  private static final String[] WORDS = {
    "", "0", "1", "7", "-1", "15", "63", "128", "f", "field", "\0\u00ff\u0080", "hello world"
  };

  private final Lua lua = new Lua();
  private final Node model = new Node(0, lua, () -> 1_700_000_000_000L, () -> 42);

  @Test
  void randomCommands_getTheRepliesOfARealServer() {
    long seed = Seeds.first();
    SplittableRandom random = new SplittableRandom(seed);
    int replies = 0;
    try (RedisServer server = RedisServer.start()) {
      for (int i = 0; i < COMMANDS; i++) {
        String[] words = command(random);
        String expected = Traces.show(ask(server, words), words[0]);
        String got = Traces.show(model.run(bytes(words)), words[0]);
        assertThat(got)
            .as("seed %d, command %d: %s", seed, i, Arrays.toString(words))
            .isEqualTo(expected);
        replies += expected.startsWith("!") ? 0 : 1;
      }
    }
    assertThat(replies).isGreaterThan(COMMANDS / 2);
  }

  @Test
  void commandsOfTheLibrary_getTheRepliesOfARealServer() {
    long seed = Seeds.first();
    Turns.Pool pool = new Turns.Pool();
    long compared = 0;
    try (RedisServer server = RedisServer.start()) {
      for (Plan.Kind kind : Plan.Kind.values()) {
        for (int i = 0; i < 3; i++) {
          Plan drawn = Plan.draw(seed + i, Plan.Menu.ALL.only(kind).with());
          Plan plan =
              new Plan(
                  drawn.seed(),
                  new World.Shape(1, 0, true),
                  kind,
                  Plan.Level.MASTER,
                  drawn.clients(),
                  List.of(),
                  drawn.switching());
          Traces traces = new Traces();
          History.Outcome outcome = History.record(plan, pool, lua, traces);
          assertThat(outcome.denial()).as("%s", plan).isNull();
          server.ask("FLUSHALL");
          compared += traces.compare(words -> ask(server, words), 400, "" + plan);
        }
      }
    } finally {
      pool.close();
    }
    assertThat(compared).isGreaterThan(500);
  }

  private static @Nullable Object ask(RedisServer server, String... words) {
    try {
      return server.ask(words);
    } catch (IllegalStateException e) {
      return new Reply.Failure("" + e.getMessage());
    }
  }

  private static byte[][] bytes(String[] words) {
    return Arrays.stream(words).map(Reply::bytes).toArray(byte[][]::new);
  }

  private static String key(SplittableRandom random, int from, int to) {
    return random.nextInt(20) == 0
        ? KEYS[random.nextInt(KEYS.length)]
        : KEYS[from + random.nextInt(to - from)];
  }

  private static String word(SplittableRandom random) {
    return WORDS[random.nextInt(WORDS.length)];
  }

  private static String number(SplittableRandom random, int below) {
    return Integer.toString(random.nextInt(below) - below / 8);
  }

  private static String[] command(SplittableRandom random) {
    return switch (random.nextInt(4)) {
      case 0 -> text(random, key(random, 0, 3));
      case 1 -> hash(random, key(random, 3, 5));
      case 2 -> log(random, key(random, 5, 7));
      default -> general(random);
    };
  }

  private static String[] text(SplittableRandom random, String key) {
    String other = key(random, 0, 3);
    return switch (random.nextInt(13)) {
      case 0 -> new String[] {"GET", key};
      case 1 -> new String[] {"SET", key, word(random)};
      case 2 -> new String[] {"SET", key, word(random), random.nextBoolean() ? "NX" : "XX"};
      case 3 -> new String[] {"SET", key, word(random), "GET", "KEEPTTL"};
      case 4 -> new String[] {"STRLEN", key};
      case 5 -> new String[] {"GETRANGE", key, number(random, 40), number(random, 40)};
      case 6 -> new String[] {"SETRANGE", key, number(random, 60), word(random)};
      case 7 -> new String[] {"GETBIT", key, "" + random.nextInt(300)};
      case 8 -> new String[] {"SETBIT", key, "" + random.nextInt(300), "" + random.nextInt(2)};
      case 9 -> new String[] {"BITCOUNT", key};
      case 10 ->
          new String[] {
            "BITOP", new String[] {"OR", "AND", "XOR"}[random.nextInt(3)], key, other, key
          };
      default -> bitField(random, key);
    };
  }

  private static String[] bitField(SplittableRandom random, String key) {
    List<String> words = new ArrayList<>(List.of("BITFIELD", key));
    for (int i = random.nextInt(4); i >= 0; i--) {
      String type = new String[] {"u1", "u4", "i8", "i64", "u63", "i13", "u7"}[random.nextInt(7)];
      String offset = (random.nextInt(4) == 0 ? "#" : "") + random.nextInt(200);
      switch (random.nextInt(4)) {
        case 0 -> words.addAll(List.of("GET", type, offset));
        case 1 -> words.addAll(List.of("SET", type, offset, number(random, 200)));
        case 2 -> words.addAll(List.of("INCRBY", type, offset, number(random, 40)));
        default ->
            words.addAll(
                List.of("OVERFLOW", new String[] {"WRAP", "SAT", "FAIL"}[random.nextInt(3)]));
      }
    }
    return words.toArray(String[]::new);
  }

  private static String[] hash(SplittableRandom random, String key) {
    String field = word(random);
    return switch (random.nextInt(9)) {
      case 0 -> new String[] {"HGET", key, field};
      case 1 -> new String[] {"HSET", key, field, word(random), word(random), "2"};
      case 2 -> new String[] {"HSETNX", key, field, word(random)};
      case 3 -> new String[] {"HDEL", key, field, word(random)};
      case 4 -> new String[] {"HGETALL", key};
      case 5 -> new String[] {"HKEYS", key};
      case 6 -> new String[] {"HMGET", key, field, word(random)};
      case 7 -> new String[] {"HINCRBY", key, field, number(random, 20)};
      default -> new String[] {random.nextBoolean() ? "HEXISTS" : "HGET", key, field};
    };
  }

  private static String[] log(SplittableRandom random, String key) {
    String id = random.nextInt(200) + "-" + random.nextInt(3);
    return switch (random.nextInt(6)) {
      case 0, 1 -> new String[] {"XADD", key, id, word(random), word(random)};
      case 2 -> new String[] {"XADD", key, "MAXLEN", "=", "5", id, "f", word(random)};
      case 3 -> new String[] {"XLEN", key};
      case 4 -> new String[] {"XRANGE", key, id, "+", "COUNT", "3"};
      default -> new String[] {"XRANGE", key, "(" + id, "" + random.nextInt(200)};
    };
  }

  private static String[] general(SplittableRandom random) {
    String key = KEYS[random.nextInt(KEYS.length)];
    String other = KEYS[random.nextInt(KEYS.length)];
    return switch (random.nextInt(14)) {
      case 0 -> new String[] {"DEL", key};
      case 1 -> new String[] {"UNLINK", key, other};
      case 2 -> new String[] {"EXISTS", key, other, key};
      case 3 -> new String[] {"TYPE", key};
      case 4 -> new String[] {"PEXPIRE", key, "600000"};
      case 5 -> new String[] {"PERSIST", key};
      case 6 -> new String[] {"PTTL", key};
      case 7 -> new String[] {"PEXPIRETIME", key};
      case 8 -> new String[] {"COPY", "a", "b"};
      case 9 -> new String[] {"COPY", "c", "b", "REPLACE"};
      case 10 -> new String[] {"RENAME", "h", "g"};
      case 11 -> new String[] {"DBSIZE"};
      case 12 ->
          new String[] {
            "EVAL",
            "local v = redis.call(ARGV[1], KEYS[1], ARGV[2]) if v then return {v, #ARGV} end"
                + " return redis.error_reply('ERR none')",
            "1",
            key,
            random.nextBoolean() ? "GETBIT" : "HGET",
            word(random)
          };
      default -> new String[] {"SCAN", "0", "COUNT", "100", "MATCH", "[a-h]*"};
    };
  }
}
