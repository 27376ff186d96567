package io.woodbird.console;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a browser told of its pages: what they asked for, and what went wrong. */
final class PageEvents {
  /** Pages of the browser itself, such as a new tab's: each version asks for what it likes. */
  private static final Pattern OWN_PAGE = Pattern.compile("(chrome|chrome-[a-z]+|devtools):.*");

  /** How most events begin: nobody asks about them, so they need not be parsed. */
  private static final Pattern UNREAD =
      Pattern.compile("\\{\"method\":\"Network\\.(?!requestWillBeSent\"|loadingFinished\")");

  private final Set<String> counted = new HashSet<>();
  private final List<String> requests = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();
  private long bytes;

  /** Takes note of an event. */
  void note(String message) {
    if (UNREAD.matcher(message).lookingAt()) {
      return;
    }
    Map<String, Object> event = DevTools.parse(message);
    Map<String, Object> about = DevTools.object(event.get("params"));
    switch (String.valueOf(event.get("method"))) {
      case "Network.requestWillBeSent" -> {
        if (!isOwn(about.get("documentURL"))) {
          counted.add(String.valueOf(about.get("requestId")));
          requests.add(String.valueOf(DevTools.object(about.get("request")).get("url")));
        }
      }
      case "Network.loadingFinished" -> {
        if (counted.remove(String.valueOf(about.get("requestId")))) {
          bytes += ((Number) about.get("encodedDataLength")).longValue();
        }
      }
      case "Log.entryAdded" -> {
        Map<String, Object> entry = DevTools.object(about.get("entry"));
        String text = entry.get("url") + " - " + entry.get("text");
        complain(entry.get("level"), entry.get("url"), text);
      }
      case "Runtime.consoleAPICalled" ->
          complain(about.get("type"), "", "console: " + about.get("args"));
      case "Runtime.exceptionThrown" -> {
        Map<String, Object> thrown = DevTools.object(about.get("exceptionDetails"));
        complain("error", thrown.get("url"), thrown.get("url") + " - " + said(thrown));
      }
      case "Inspector.targetCrashed" -> problems.add("the page has crashed");
      default -> {}
    }
  }

  private static boolean isOwn(@Nullable Object address) {
    return OWN_PAGE.matcher(String.valueOf(address)).matches();
  }

  private void complain(@Nullable Object level, @Nullable Object address, String text) {
    if (!"error".equals(level) && !"assert".equals(level)) {
      // Below an error is advice, and each version gives other advice.
      System.out.println("the browser says: " + text);
    } else if (!isOwn(address)) {
      problems.add(text);
    }
  }

  /** What the browser says of something that was thrown. */
  static String said(Map<?, ?> thrown) {
    Object exception = thrown.get("exception");
    Object description =
        exception instanceof Map<?, ?> object ? object.get("description") : exception;
    return thrown.get("text") + " " + description;
  }

  List<String> takeRequests() {
    List<String> taken = List.copyOf(requests);
    requests.clear();
    return taken;
  }

  long takeBytes() {
    long taken = bytes;
    bytes = 0;
    return taken;
  }

  List<String> takeProblems() {
    List<String> taken = List.copyOf(problems);
    problems.clear();
    return taken;
  }
}
