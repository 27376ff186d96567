package io.woodbird.console;

import io.woodbird.console.shared.Json;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** The process of a Chromium, and the messages of its DevTools protocol. */
final class DevTools implements AutoCloseable {
  /*
   * The messages go through two pipes, each ended by a zero byte. A driver between the test and the
   * browser would be a second program of the same version, and cost more than the browser: each of
   * its commands is a request of HTTP and several messages, and it keeps a log of all events. The
   * browser ends by itself when the pipe does, so that none is left if this JVM is killed.
   */
  private static final String PIPES = "exec \"$@\" 3<&0 4>&1 </dev/null >&2";

  /** After so long the browser hangs, however busy the machine is. */
  private static final long MINUTES = 5;

  private static final JsonFactory JSON = new JsonFactory();
  private static final String END = "";

  /** How events begin; what does not may be one all the same. */
  private static final String EVENT = "{\"method\":";

  private final Process process;
  private final Path said;
  private final OutputStream out;
  private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();
  private final Consumer<String> events;
  private @Nullable String session;
  private long lastId;

  /** An answer of the browser that a command could not be obeyed. */
  static final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    RefusedException(String message) {
      super(message);
    }
  }

  /**
   * Starts a browser and takes hold of its first page.
   *
   * @param events takes each message that is no answer, while a command waits for its own
   */
  DevTools(Path program, List<String> arguments, Path profile, Consumer<String> events)
      throws IOException {
    this.events = events;
    said = profile.resolve("said.txt");
    List<String> command = new ArrayList<>(List.of("sh", "-c", PIPES, "sh", program.toString()));
    command.addAll(arguments);
    command.addAll(List.of("--remote-debugging-pipe", "--user-data-dir=" + profile, "about:blank"));
    process = new ProcessBuilder(command).redirectError(said.toFile()).start();
    out = process.getOutputStream();
    Thread reader = new Thread(this::read, "browser");
    reader.setDaemon(true);
    reader.start();
    Map<?, ?> attached =
        send("Target.attachToTarget", Map.of("targetId", firstPage(), "flatten", true));
    session = (String) attached.get("sessionId");
  }

  private String firstPage() {
    while (true) {
      for (Object target :
          (List<?>) send("Target.getTargets", Map.of()).getOrDefault("targetInfos", List.of())) {
        Map<?, ?> about = (Map<?, ?>) target;
        if ("page".equals(about.get("type"))) {
          return String.valueOf(about.get("targetId"));
        }
      }
      pause(20); // The window is being made.
    }
  }

  static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void read() {
    ByteArrayOutputStream message = new ByteArrayOutputStream();
    try (InputStream in = new BufferedInputStream(process.getInputStream(), 1 << 16)) {
      for (int next = in.read(); next >= 0; next = in.read()) {
        if (next > 0) {
          message.write(next);
        } else {
          messages.add(message.toString(StandardCharsets.UTF_8));
          message.reset();
        }
      }
    } catch (IOException e) {
      // The browser has ended, which the next command will say.
    }
    messages.add(END);
  }

  /** Sends a command to the page, and returns what it answers. */
  Map<String, Object> send(String method, Map<String, ?> parameters) {
    long id = ++lastId;
    Map<String, Object> command = new LinkedHashMap<>();
    command.put("id", id);
    command.put("method", method);
    command.put("params", parameters);
    if (session != null) {
      command.put("sessionId", session);
    }
    try {
      out.write(Json.write(command).getBytes(StandardCharsets.UTF_8));
      out.write(0);
      out.flush();
      while (true) {
        String text = messages.poll(MINUTES, TimeUnit.MINUTES);
        if (text == null || text.equals(END)) {
          throw new AssertionError(
              method
                  + (text == null ? ": no answer" : ": the browser has ended")
                  + "\n"
                  + Files.readString(said));
        }
        Map<String, Object> answer = text.startsWith(EVENT) ? Map.of() : parse(text);
        if (!answer.containsKey("id")) {
          events.accept(text);
          continue;
        }
        if (answer.get("error") instanceof Map<?, ?> error) {
          throw new RefusedException(method + ": " + error.get("message"));
        }
        if (Long.valueOf(id).equals(answer.get("id"))) {
          return object(answer.get("result"));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Reads a JSON object; whole numbers are of the type {@code Long}. */
  static Map<String, Object> parse(String json) {
    try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), json)) {
      parser.nextToken();
      return object(value(parser));
    }
  }

  @SuppressWarnings("unchecked") // Of the parser below, which has text for names.
  static Map<String, Object> object(@Nullable Object value) {
    return (Map<String, Object>) value;
  }

  private static @Nullable Object value(JsonParser parser) {
    JsonToken token = parser.currentToken();
    switch (token) {
      case START_OBJECT -> {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
          String name = parser.currentName();
          parser.nextToken();
          members.put(name, value(parser));
        }
        return members;
      }
      case START_ARRAY -> {
        List<@Nullable Object> elements = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          elements.add(value(parser));
        }
        return elements;
      }
      case VALUE_STRING -> {
        return parser.getString();
      }
      case VALUE_NUMBER_INT -> {
        return parser.getLongValue();
      }
      case VALUE_NUMBER_FLOAT -> {
        return parser.getDoubleValue();
      }
      case VALUE_NULL -> {
        return null;
      }
      default -> {
        return token == JsonToken.VALUE_TRUE;
      }
    }
  }

  @Override
  public void close() {
    try {
      session = null;
      send("Browser.close", Map.of());
      process.waitFor(10, TimeUnit.SECONDS);
    } catch (RuntimeException | AssertionError | InterruptedException e) {
      // It has ended, or hangs.
    }
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}
