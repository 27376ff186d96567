package io.woodbird.redis.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What the library sent and the model answered, to be sent to a real server. */
final class Traces implements World.Recorder {
  private record Sent(byte[][] words, long millis, @Nullable Object reply) {}

  private final List<Sent> all = new ArrayList<>();
  private final Map<String, String> scripts = new HashMap<>();
  private String info = "";

  @Override
  public void executed(byte[][] words, long millis, @Nullable Object reply) {
    all.add(new Sent(words, millis, reply));
  }

  /** Sends the first commands to a server, each as if it had the time and the id of the model. */
  long compare(Function<String[], @Nullable Object> server, int most, String plan) {
    long compared = 0;
    info = "";
    for (Sent sent : all.subList(0, Math.min(most, all.size()))) {
      String name = Reply.text(sent.words[0]);
      String[] words = new String[sent.words.length];
      for (int i = 0; i < words.length; i++) {
        words[i] = Reply.text(sent.words[i]);
      }
      if (name.equals("EVAL")) {
        scripts.put(Lua.sha1(sent.words[1]), words[1]);
        words[1] = atTime(words[1], sent.millis);
      } else if (name.equals("EVALSHA")) {
        if (sent.reply instanceof Reply.Failure) {
          continue; // The server knows it from before.
        }
        name = "EVAL";
        words[0] = name;
        words[1] = atTime(scripts.getOrDefault(words[1], ""), sent.millis);
      } else if (name.equals("XADD")) {
        for (int i = 2; i < words.length; i++) {
          words[i] = words[i].equals("*") ? sent.millis + "-*" : words[i];
        }
      } else if (List.of("INFO", "CONFIG", "ROLE", "CLUSTER").contains(name)) {
        info = name.equals("INFO") && sent.reply instanceof byte[] text ? Reply.text(text) : info;
        continue;
      }
      String expected = show(server.apply(words), name);
      assertThat(show(sent.reply, name))
          .as("%s%n%s", plan, String.join(" ", words))
          .isEqualTo(expected);
      compared++;
    }
    return compared;
  }

  private String atTime(String script, long millis) {
    String time = "{'" + millis / 1000 + "', '" + millis % 1000 * 1000 + "'}";
    String life = "'" + info.replace("\r", "\\r").replace("\n", "\\n") + "'";
    return script
        .replace("redis.call('info', 'replication')", life)
        .replace("redis.call('time')", time)
        .replace("redis.call('TIME')", time)
        .replace("'*'", "'" + millis + "-*'");
  }

  /** Shows a reply so that those of a model and of a server are equal if they mean the same. */
  static String show(@Nullable Object reply, String command) {
    boolean unordered =
        List.of("HGETALL", "HKEYS", "SCAN", "EVAL").contains(command) && reply instanceof List<?>;
    if (reply instanceof Reply.Failure failure) {
      String text = failure.message();
      int end = text.indexOf(' ');
      return "! " + (end < 0 ? text : text.substring(0, end));
    }
    if (command.equals("PTTL") || command.equals("PEXPIRETIME")) {
      return reply instanceof Long number && number > 0 ? "later" : "" + reply;
    }
    if (!unordered) {
      return flat(reply);
    }
    List<String> parts = new ArrayList<>();
    parts(reply, parts);
    parts.sort(null);
    return parts.toString();
  }

  private static void parts(@Nullable Object reply, List<String> parts) {
    if (reply instanceof List<?> list) {
      list.forEach(part -> parts(part, parts));
    } else {
      parts.add(flat(reply));
    }
  }

  private static String flat(@Nullable Object reply) {
    if (reply instanceof byte[] bytes) {
      return Reply.text(bytes);
    }
    if (reply instanceof List<?> list) {
      return list.stream().map(Traces::flat).toList().toString();
    }
    return "" + reply;
  }
}
